# SPDX-License-Identifier: GPL-2.0-or-later
# Turns dictionary.tsv into rows of a C table; a malformed row ends the build.
BEGIN { FS = "\t" }
function refuse(why) { print FILENAME ":" FNR ": " why > "/dev/stderr"; bad = 1; exit 1 }
function word(s, known) { if (!index(" " known " ", " " s " ")) refuse("'" s "' is none of: " known); return toupper(s) }
/^#/ || /^$/ { next }
{
	if (NF != 7) refuse(NF " fields, not 7")
	for (i = 1; i <= NF; i++) if ($i == "") refuse("field " i " is empty")
	if ($1 in seen) refuse("'" $1 "' stands in line " seen[$1] " too")
	if ($6 !~ /^[0-9.]+$/) refuse("'" $6 "' is no number")
	seen[$1] = FNR
	gsub(/\\/, "\\\\"); gsub(/"/, "\\\"")
	printf "{ \"%s\", \"%s\", BETTER_%s, FOLD_%s, ROLE_%s, %s, \"%s\" },\n", $1, $2,
		word($3, "higher lower none"), word($4, "delta mean last max"),
		word($5, "headline watched functional"), $6, $7
}
END { if (!bad && !length(seen)) { print FILENAME ": no rows" > "/dev/stderr"; exit 1 } }
