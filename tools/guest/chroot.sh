# SPDX-License-Identifier: GPL-2.0
# A throw-away view of the root.
