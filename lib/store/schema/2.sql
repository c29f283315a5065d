-- SPDX-License-Identifier: GPL-2.0-or-later
-- What is made of the runs: verdicts, findings and their life, bisections, mails,
-- and what is still to be done.

CREATE TABLE verdict (
	id INTEGER PRIMARY KEY,
	job_id INTEGER NOT NULL REFERENCES job,
	machine_id INTEGER NOT NULL REFERENCES machine,
	mode TEXT NOT NULL,			-- host, kvm, tcg ...
	metric_id INTEGER NOT NULL REFERENCES metric,
	base_id INTEGER NOT NULL REFERENCES kernel,
	head_id INTEGER NOT NULL REFERENCES kernel,
	verdict TEXT NOT NULL CHECK (verdict IN
		('regression', 'improvement', 'change', 'same', 'unsure', 'broken')),
	reason TEXT NOT NULL,
	change REAL, low REAL, high REAL,	-- shares; NULL: not known
	p REAL, noise REAL, drift REAL,
	boots_base INTEGER NOT NULL,
	boots_head INTEGER NOT NULL,
	made_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX verdict_by_job ON verdict (job_id, metric_id, made_ns);
CREATE INDEX verdict_by_head ON verdict (head_id);

CREATE TABLE finding (
	id INTEGER PRIMARY KEY,
	state TEXT NOT NULL CHECK (state IN ('suspected', 'confirmed', 'bisecting', 'blamed',
		'reported', 'fix under test', 'fixed', 'invalid')),
	culprit TEXT,				-- the commit; NULL: not blamed yet
	culprit_subject TEXT NOT NULL,
	patch_id TEXT UNIQUE,			-- the same change in whatever tree
	confidence REAL,
	same_as INTEGER REFERENCES finding,	-- joined to that one: no finding of its own any more
	opened_ns INTEGER NOT NULL,
	CHECK (patch_id IS NULL OR culprit IS NOT NULL)
) STRICT;

CREATE TABLE sighting (				-- where it shows
	id INTEGER PRIMARY KEY,
	finding_id INTEGER NOT NULL REFERENCES finding,
	tree TEXT NOT NULL,
	branch TEXT NOT NULL,
	base TEXT NOT NULL,			-- kernels between which it came
	head TEXT NOT NULL,
	machine TEXT NOT NULL,
	mode TEXT NOT NULL,
	test TEXT NOT NULL,
	params TEXT NOT NULL,			-- the job's canonical text
	metric TEXT NOT NULL,
	grp TEXT NOT NULL,			-- metrics that move together
	change REAL, low REAL, high REAL,
	verdict_id INTEGER REFERENCES verdict,
	seen_ns INTEGER NOT NULL,
	UNIQUE (tree, branch, base, head, machine, mode, params, metric)
) STRICT;
CREATE INDEX sighting_by_finding ON sighting (finding_id);
CREATE INDEX sighting_by_range ON sighting (base, head, grp);

CREATE TABLE finding_event (
	finding_id INTEGER NOT NULL REFERENCES finding,
	seq INTEGER NOT NULL,
	at_ns INTEGER NOT NULL,
	from_state TEXT NOT NULL,
	to_state TEXT NOT NULL,			-- the same: something was learnt, nothing moved
	who TEXT NOT NULL,
	why TEXT NOT NULL,
	verdict_id INTEGER REFERENCES verdict,
	PRIMARY KEY (finding_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE bisection (
	id INTEGER PRIMARY KEY,
	finding_id INTEGER REFERENCES finding,
	repository TEXT NOT NULL,
	good TEXT NOT NULL,
	bad TEXT NOT NULL,
	params TEXT NOT NULL,			-- the job's canonical text
	metric TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN
		('open', 'found', 'range', 'not reproduced', 'budget ended', 'given up')),
	culprit TEXT,
	confidence REAL,
	memory TEXT NOT NULL,			-- what it needs to go on
	opened_ns INTEGER NOT NULL,
	changed_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE bisection_step (
	bisection_id INTEGER NOT NULL REFERENCES bisection,
	seq INTEGER NOT NULL,
	at_ns INTEGER NOT NULL,
	"commit" TEXT NOT NULL,
	what TEXT NOT NULL,			-- measured, skipped, same build ...
	value REAL,
	detail TEXT NOT NULL,
	PRIMARY KEY (bisection_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE mail (				-- the ledger: written here before anything is sent
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE,		-- what it is for: made once, ever
	message_id TEXT NOT NULL UNIQUE,
	finding_id INTEGER REFERENCES finding,
	content TEXT NOT NULL,			-- the whole mail, each try sends the same
	state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'refused')),
	tries INTEGER NOT NULL,
	next_ns INTEGER NOT NULL,		-- not before
	made_ns INTEGER NOT NULL,
	sent_ns INTEGER				-- the first time that a server took it
) STRICT;
CREATE INDEX mail_by_state ON mail (state, next_ns);

CREATE TABLE mail_recipient (
	mail_id INTEGER NOT NULL REFERENCES mail,
	seq INTEGER NOT NULL,
	address TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'refused')),
	reply TEXT NOT NULL,			-- of the server, the last
	PRIMARY KEY (mail_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE,		-- the same work is not queued twice
	kind TEXT NOT NULL,
	payload TEXT NOT NULL,
	priority INTEGER NOT NULL,		-- higher first
	state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
	reason TEXT NOT NULL,
	tries INTEGER NOT NULL,
	next_ns INTEGER NOT NULL,		-- not before
	made_ns INTEGER NOT NULL,
	changed_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX queue_by_state ON queue (state, priority DESC, id);

CREATE TABLE head (				-- branches that are watched
	tree TEXT NOT NULL,
	branch TEXT NOT NULL,
	"commit" TEXT NOT NULL,
	seen_ns INTEGER NOT NULL,
	tested_ns INTEGER,			-- NULL: not yet
	PRIMARY KEY (tree, branch, "commit")
) STRICT, WITHOUT ROWID;
