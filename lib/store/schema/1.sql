-- SPDX-License-Identifier: GPL-2.0-or-later
-- kernel, build, boot, run, sample: from the outside in.  Each level is a place
-- where numbers may shift, and a comparison needs them all.
-- Times are nanoseconds since 1970; a commit's are seconds.

PRAGMA application_id = 0x6b726274;

CREATE TABLE kernel (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,		-- a commit, or an image's name
	"commit" TEXT,				-- NULL: not known
	describe TEXT NOT NULL,
	subject TEXT NOT NULL,
	committed_secs INTEGER NOT NULL
) STRICT;
CREATE INDEX kernel_by_commit ON kernel ("commit");

CREATE TABLE build (
	id INTEGER PRIMARY KEY,
	kernel_id INTEGER NOT NULL REFERENCES kernel,
	config TEXT NOT NULL,			-- hash of the normalised .config
	compiler TEXT NOT NULL,
	UNIQUE (kernel_id, config, compiler)
) STRICT;

CREATE TABLE machine (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	facts TEXT NOT NULL,			-- what makes it this machine
	UNIQUE (name, facts)
) STRICT;

CREATE TABLE environment (			-- the same machine with other microcode
	id INTEGER PRIMARY KEY,
	machine_id INTEGER NOT NULL REFERENCES machine,
	facts TEXT NOT NULL,
	UNIQUE (machine_id, facts)
) STRICT;

CREATE TABLE boot (
	id INTEGER PRIMARY KEY,
	uuid TEXT NOT NULL,			-- /proc/sys/kernel/random/boot_id
	build_id INTEGER NOT NULL REFERENCES build,
	machine_id INTEGER NOT NULL REFERENCES machine,
	mode TEXT NOT NULL,			-- host, kvm, tcg ...
	cmdline TEXT NOT NULL,
	booted_ns INTEGER NOT NULL,
	UNIQUE (uuid, build_id, machine_id, mode)
) STRICT;

CREATE TABLE job (
	id INTEGER PRIMARY KEY,
	test TEXT NOT NULL,
	name TEXT NOT NULL,			-- for people
	params TEXT NOT NULL,			-- canonical text: the identity
	UNIQUE (params, test)
) STRICT;
CREATE INDEX job_by_name ON job (name);
CREATE INDEX job_by_test ON job (test);

CREATE TABLE program (				-- the test's executable
	id INTEGER PRIMARY KEY,
	hash TEXT NOT NULL,
	compiler TEXT NOT NULL,
	UNIQUE (hash, compiler)
) STRICT;

CREATE TABLE run (
	id INTEGER PRIMARY KEY,
	uuid TEXT NOT NULL UNIQUE,		-- stays with a copied folder
	dir TEXT NOT NULL UNIQUE,		-- the folder from which this row can be made again
	boot_id INTEGER NOT NULL REFERENCES boot,
	environment_id INTEGER NOT NULL REFERENCES environment,
	job_id INTEGER NOT NULL REFERENCES job,
	program_id INTEGER NOT NULL REFERENCES program,
	label TEXT NOT NULL,
	session TEXT NOT NULL,			-- one start of krobot
	position INTEGER NOT NULL,		-- in the session's order
	seq INTEGER NOT NULL,			-- in the boot
	started_ns INTEGER NOT NULL,
	ended_ns INTEGER NOT NULL,
	state TEXT NOT NULL CHECK (state IN
		('ok', 'skipped', 'failed', 'timeout', 'lost', 'invalid', 'unparsed')),
	reason TEXT NOT NULL,
	profile INTEGER NOT NULL CHECK (profile IN (0, 1))
) STRICT;
CREATE INDEX run_by_job ON run (job_id, started_ns);
CREATE INDEX run_by_label ON run (label, started_ns);
CREATE INDEX run_by_boot ON run (boot_id);
CREATE INDEX run_by_session ON run (session);
CREATE INDEX run_by_start ON run (started_ns);

CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,		-- "vm-scalability.throughput"
	unit TEXT,
	better TEXT CHECK (better IN ('higher', 'lower', 'none')),	-- NULL: undocumented
	headline INTEGER NOT NULL CHECK (headline IN (0, 1)),
	kind TEXT,
	meaning TEXT
) STRICT;

-- No index by metric: the way in is always from the runs, whose samples of one
-- metric lie together.
CREATE TABLE sample (
	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	metric_id INTEGER NOT NULL REFERENCES metric,
	seq INTEGER NOT NULL,
	value REAL,				-- missing is NULL, never 0
	reason TEXT,				-- why it is missing
	PRIMARY KEY (run_id, metric_id, seq),
	CHECK ((value IS NULL) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- For people at the sqlite3 prompt: one line a run and metric.
CREATE VIEW result AS
SELECT k.name AS kernel, r.label, m.name AS machine, j.test, j.name AS job, j.params,
       b.uuid AS boot, r.id AS run, t.name AS metric, t.unit,
       avg(s.value) AS value, count(s.value) AS n
FROM run r
JOIN sample s ON s.run_id = r.id
JOIN metric t ON t.id = s.metric_id
JOIN job j ON j.id = r.job_id
JOIN boot b ON b.id = r.boot_id
JOIN machine m ON m.id = b.machine_id
JOIN build u ON u.id = b.build_id
JOIN kernel k ON k.id = u.kernel_id
WHERE r.state = 'ok' AND r.profile = 0
GROUP BY r.id, t.name;
