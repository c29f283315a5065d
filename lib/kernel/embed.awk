# SPDX-License-Identifier: GPL-2.0-or-later
# A text file as a C string.
BEGIN { print "static const char vm_config[] =" }
{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); print "\t\"" $0 "\\n\"" }
END { print "\t;" }
