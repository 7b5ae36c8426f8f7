# SPDX-License-Identifier: GPL-2.0
# Headers and sources of a kernel series.

headers_cached()
{
	return 1
}
