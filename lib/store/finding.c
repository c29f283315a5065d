/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "store/db.h"
#include "store/finding.h"

#define S(state) (1U << FINDING_##state)

static const struct {
	const char *word;
	unsigned int next;	/* states that may follow */
} states[FINDING_STATES] = {
	[FINDING_SUSPECTED] = { "suspected", S(CONFIRMED) | S(INVALID) },
	[FINDING_CONFIRMED] = { "confirmed", S(BISECTING) | S(BLAMED) | S(FIXED) | S(INVALID) },
	/* Back to confirmed: interrupted for good, or the culprit was not found. */
	[FINDING_BISECTING] = { "bisecting", S(CONFIRMED) | S(BLAMED) | S(INVALID) },
	[FINDING_BLAMED] = { "blamed", S(BISECTING) | S(REPORTED) | S(FIX_UNDER_TEST) | S(FIXED) |
			     S(INVALID) },
	[FINDING_REPORTED] = { "reported", S(FIX_UNDER_TEST) | S(FIXED) | S(INVALID) },
	/* Back: the fix did not help. */
	[FINDING_FIX_UNDER_TEST] = { "fix under test", S(BLAMED) | S(REPORTED) | S(FIXED) |
				     S(INVALID) },
	/* Back: it came again. */
	[FINDING_FIXED] = { "fixed", S(CONFIRMED) | S(REPORTED) | S(INVALID) },
	[FINDING_INVALID] = { "invalid", S(SUSPECTED) },
};

#undef S

const char *finding_word(enum finding_state state)
{
	return states[state].word;
}

bool finding_state_parse(const char *word, enum finding_state *out)
{
	for (unsigned int i = 0; i < FINDING_STATES; i++) {
		if (!strcmp(states[i].word, word)) {
			*out = i;
			return true;
		}
	}
	return false;
}

bool finding_may(enum finding_state from, enum finding_state to)
{
	return states[from].next & 1U << to;
}

/* ---- Writing; all inside a transaction of the caller ---- */

/* The state of a finding that stands on its own. */
static int current(struct store *s, int64_t id, enum finding_state *state, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT state, same_as FROM finding WHERE id = ?1", "i", id);

	if (ret < 0 || (ret = db_step(s, st, e)) < 0)
		return ret;
	if (!ret)
		return err_set(e, ENOENT, "there is no finding %lld", (long long)id);
	if (sqlite3_column_int64(st, 1))
		return err_set(e, EEXIST, "finding %lld was joined to finding %lld",
			       (long long)id, (long long)sqlite3_column_int64(st, 1));
	if (!finding_state_parse(db_text(st, 0), state))
		return err_set(e, EUCLEAN, "finding %lld: unknown state", (long long)id);
	return 0;
}

static int record(struct store *s, int64_t id, enum finding_state from, enum finding_state to,
		  const struct store_why *why, struct err *e)
{
	return db_exec(s, e,
		"INSERT INTO finding_event (finding_id, seq, at_ns, from_state, to_state, who, why,"
		" verdict_id) SELECT ?1, count(*), ?2, ?3, ?4, ?5, ?6, nullif(?7, 0)"
		" FROM finding_event WHERE finding_id = ?1", "iitttti", id, why->at_ns,
		finding_word(from), finding_word(to), why->who, why->why, why->verdict);
}

static int refuse(int64_t id, enum finding_state from, enum finding_state to, struct err *e)
{
	_text_ struct text may = {};

	for (unsigned int i = 0; i < FINDING_STATES; i++)
		if (finding_may(from, i))
			text_printf(&may, "%s%s", may.len ? ", " : "", finding_word(i));
	return err_set(e, EPERM, "finding %lld is %s; it cannot become %s, only: %s",
		       (long long)id, finding_word(from), finding_word(to), text_str(&may));
}

static int move(struct store *s, int64_t id, enum finding_state to, const struct store_why *why,
		struct err *e)
{
	enum finding_state from;
	int ret = current(s, id, &from, e);

	if (ret < 0)
		return ret;
	if (!finding_may(from, to))
		return refuse(id, from, to, e);
	ret = db_exec(s, e, "UPDATE finding SET state = ?2 WHERE id = ?1", "it", id,
		      finding_word(to));
	return ret < 0 ? ret : record(s, id, from, to, why, e);
}

static int note(struct store *s, int64_t id, const struct store_why *why, struct err *e)
{
	enum finding_state state;
	int ret = current(s, id, &state, e);

	return ret < 0 ? ret : record(s, id, state, state, why, e);
}

/* An open finding of this range and group, or one that has this very sighting. */
static int find_open(struct store *s, const struct store_sighting *g, int64_t *id, struct err *e)
{
	return db_number(s, id, e,
		"SELECT f.id FROM sighting g JOIN finding f ON f.id = g.finding_id"
		" WHERE g.base = ?1 AND g.head = ?2 AND (g.grp = ?3"
		" AND f.state NOT IN ('fixed', 'invalid') OR g.tree = ?4 AND g.branch = ?5"
		" AND g.machine = ?6 AND g.mode = ?7 AND g.params = ?8 AND g.metric = ?9)"
		" ORDER BY f.id LIMIT 1", "ttttttttt", g->base, g->head, g->group, g->tree,
		g->branch, g->machine, g->mode, g->params, g->metric);
}

static int put_sighting(struct store *s, int64_t id, const struct store_sighting *g,
			struct err *e)
{
	return db_exec(s, e,
		"INSERT INTO sighting (finding_id, tree, branch, base, head, machine, mode, test,"
		" params, metric, grp, change, low, high, verdict_id, seen_ns)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
		" nullif(?15, 0), ?16)"
		" ON CONFLICT DO UPDATE SET finding_id = excluded.finding_id,"
		" change = excluded.change, low = excluded.low, high = excluded.high,"
		" verdict_id = excluded.verdict_id, seen_ns = excluded.seen_ns",
		"ittttttttttdddii", id, g->tree, g->branch, g->base, g->head, g->machine, g->mode,
		g->test, g->params, g->metric, g->group, g->change, g->low, g->high, g->verdict,
		g->seen_ns);
}

static int see(struct store *s, const struct store_sighting *g, const struct store_why *why,
	       int64_t *id, struct err *e)
{
	int ret = find_open(s, g, id, e), joined = ret == 0;

	if (ret == 1)
		ret = db_number(s, id, e, "INSERT INTO finding (state, culprit_subject, opened_ns)"
				" VALUES ('suspected', '', ?1) RETURNING id", "i", why->at_ns);
	if (ret < 0 || put_sighting(s, *id, g, e) < 0 || note(s, *id, why, e) < 0)
		return -e->code;
	return joined;
}

int store_finding_see(struct store *s, const struct store_sighting *sighting,
		      const struct store_why *why, int64_t *id, struct err *e)
{
	int ret = db_begin(s, e);

	return ret < 0 ? ret : db_end(s, see(s, sighting, why, id, e), e);
}

int store_finding_move(struct store *s, int64_t id, enum finding_state to,
		       const struct store_why *why, struct err *e)
{
	int ret = db_begin(s, e);

	return ret < 0 ? ret : db_end(s, move(s, id, to, why, e), e);
}

int store_finding_note(struct store *s, int64_t id, const struct store_why *why, struct err *e)
{
	int ret = db_begin(s, e);

	return ret < 0 ? ret : db_end(s, note(s, id, why, e), e);
}

/* Sightings go over, and those that were joined to @id before. */
static int join(struct store *s, int64_t id, int64_t other, const struct store_why *why,
		struct err *e)
{
	_free_ char *text = text_format("finding %lld is the same: %s", (long long)id, why->why);
	_free_ char *mine = text_format("the same as finding %lld: %s", (long long)other, why->why);
	struct store_why theirs = *why, ours = *why;
	enum finding_state state;

	if (id == other)
		return err_set(e, EINVAL, "finding %lld cannot be joined to itself", (long long)id);
	theirs.why = text;
	ours.why = mine;
	if (current(s, other, &state, e) < 0 || note(s, id, &ours, e) < 0 ||
	    note(s, other, &theirs, e) < 0 ||
	    db_exec(s, e, "UPDATE sighting SET finding_id = ?2 WHERE finding_id = ?1", "ii",
		    id, other) < 0 ||
	    db_exec(s, e, "UPDATE finding SET same_as = ?2 WHERE id = ?1 OR same_as = ?1", "ii",
		    id, other) < 0)
		return -e->code;
	return 0;
}

int store_finding_join(struct store *s, int64_t id, int64_t other, const struct store_why *why,
		       struct err *e)
{
	int ret = db_begin(s, e);

	return ret < 0 ? ret : db_end(s, join(s, id, other, why, e), e);
}

static int blame(struct store *s, int64_t id, const struct store_blame *b,
		 const struct store_why *why, int64_t *joined, struct err *e)
{
	int64_t other;
	int ret = db_number(s, &other, e, "SELECT coalesce(same_as, id) FROM finding"
			    " WHERE patch_id = ?1 AND id <> ?2", "ni", b->patch_id, id);

	if (ret < 0)
		return ret;
	if (!ret) {
		*joined = other;
		ret = join(s, id, other, why, e);
		return ret < 0 ? ret : 1;
	}
	ret = move(s, id, FINDING_BLAMED, why, e);
	if (ret < 0)
		return ret;
	return db_exec(s, e, "UPDATE finding SET culprit = ?2, culprit_subject = ?3,"
		       " patch_id = ?4, confidence = ?5 WHERE id = ?1", "ittnd", id, b->commit,
		       b->subject, b->patch_id, b->confidence);
}

int store_finding_blame(struct store *s, int64_t id, const struct store_blame *b,
			const struct store_why *why, int64_t *joined, struct err *e)
{
	int ret = db_begin(s, e);

	return ret < 0 ? ret : db_end(s, blame(s, id, b, why, joined, e), e);
}

/* ---- Reading ---- */

static int load_sightings(struct store *s, struct store_finding *f, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT tree, branch, base, head, machine, mode, test,"
			   " params, metric, grp, change, low, high, verdict_id, seen_ns"
			   " FROM sighting WHERE finding_id = ?1 ORDER BY seen_ns, id", "i", f->id);

	while (!ret && (ret = db_step(s, st, e)) > 0) {
		struct store_sighting *g;

		ret = 0;
		GROW(f->sighting, f->n_sightings);
		g = &f->sighting[f->n_sightings++];
		*g = (struct store_sighting){
			.tree = db_copy(st, 0), .branch = db_copy(st, 1), .base = db_copy(st, 2),
			.head = db_copy(st, 3), .machine = db_copy(st, 4), .mode = db_copy(st, 5),
			.test = db_copy(st, 6), .params = db_copy(st, 7), .metric = db_copy(st, 8),
			.group = db_copy(st, 9), .change = db_real(st, 10),
			.low = db_real(st, 11), .high = db_real(st, 12),
			.verdict = sqlite3_column_int64(st, 13),
			.seen_ns = sqlite3_column_int64(st, 14),
		};
	}
	return ret;
}

static int load_events(struct store *s, struct store_finding *f, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	int ret = db_query(s, &st, e, "SELECT at_ns, from_state, to_state, who, why, verdict_id"
			   " FROM finding_event WHERE finding_id = ?1 ORDER BY seq", "i", f->id);

	while (!ret && (ret = db_step(s, st, e)) > 0) {
		struct store_event *v;

		ret = 0;
		GROW(f->event, f->n_events);
		v = &f->event[f->n_events++];
		*v = (struct store_event){
			.at_ns = sqlite3_column_int64(st, 0),
			.who = db_copy(st, 3),
			.why = db_copy(st, 4),
			.verdict = sqlite3_column_int64(st, 5),
		};
		if (!finding_state_parse(db_text(st, 1), &v->from) ||
		    !finding_state_parse(db_text(st, 2), &v->to))
			return err_set(e, EUCLEAN, "%s: unknown state of a finding", s->path);
	}
	return ret;
}

static int take_findings(struct store *s, sqlite3_stmt *st, struct store_findings *out,
			 struct err *e)
{
	int ret;

	while ((ret = db_step(s, st, e)) > 0) {
		struct store_finding *f;

		GROW(out->row, out->n);
		f = &out->row[out->n++];
		*f = (struct store_finding){
			.id = sqlite3_column_int64(st, 0),
			.culprit = db_copy(st, 2),
			.culprit_subject = db_copy(st, 3),
			.patch_id = db_copy(st, 4),
			.confidence = db_real(st, 5),
			.same_as = sqlite3_column_int64(st, 6),
			.opened_ns = sqlite3_column_int64(st, 7),
		};
		if (!finding_state_parse(db_text(st, 1), &f->state))
			return err_set(e, EUCLEAN, "%s: unknown state of a finding", s->path);
	}
	return ret;
}

/* The rest of those from @first on. */
static int load(struct store *s, struct store_findings *out, size_t first, struct err *e)
{
	for (size_t i = first; i < out->n; i++)
		if (load_sightings(s, &out->row[i], e) < 0 || load_events(s, &out->row[i], e) < 0)
			return -e->code;
	return 0;
}

#define COLUMNS "id, state, culprit, culprit_subject, patch_id, confidence, same_as, opened_ns"

static int one(struct store *s, int64_t id, struct store_findings *out, struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	size_t before = out->n;
	int ret = db_query(s, &st, e, "SELECT " COLUMNS " FROM finding WHERE id = ?1", "i", id);

	if (!ret)
		ret = take_findings(s, st, out, e);
	if (!ret)
		ret = load(s, out, before, e);
	return ret < 0 ? ret : out->n == before;
}

static int many(struct store *s, enum finding_state state, struct store_findings *out,
		struct err *e)
{
	_query_ sqlite3_stmt *st = NULL;
	size_t before = out->n;
	int ret = db_query(s, &st, e, "SELECT " COLUMNS " FROM finding WHERE same_as IS NULL"
			   " AND (?1 IS NULL OR state = ?1) ORDER BY opened_ns DESC, id DESC", "n",
			   state < FINDING_STATES ? finding_word(state) : NULL);

	if (!ret)
		ret = take_findings(s, st, out, e);
	return ret < 0 ? ret : load(s, out, before, e);
}

int store_finding(struct store *s, int64_t id, struct store_findings *out, struct err *e)
{
	int ret = db_begin_read(s, e);

	return ret < 0 ? ret : db_end(s, one(s, id, out, e), e);
}

int store_findings(struct store *s, enum finding_state state, struct store_findings *out,
		   struct err *e)
{
	int ret = db_begin_read(s, e);

	return ret < 0 ? ret : db_end(s, many(s, state, out, e), e);
}

int store_finding_of_mail(struct store *s, const char *message_id, int64_t *id, struct err *e)
{
	return db_number(s, id, e, "SELECT coalesce(f.same_as, f.id) FROM mail m"
			 " JOIN finding f ON f.id = m.finding_id WHERE m.message_id = ?1", "t",
			 message_id);
}

static void sighting_release(struct store_sighting *g)
{
	db_free(g->tree);
	db_free(g->branch);
	db_free(g->base);
	db_free(g->head);
	db_free(g->machine);
	db_free(g->mode);
	db_free(g->test);
	db_free(g->params);
	db_free(g->metric);
	db_free(g->group);
}

void store_findings_release(struct store_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct store_finding *row = &f->row[i];

		for (size_t k = 0; k < row->n_sightings; k++)
			sighting_release(&row->sighting[k]);
		for (size_t k = 0; k < row->n_events; k++) {
			db_free(row->event[k].who);
			db_free(row->event[k].why);
		}
		free(row->sighting);
		free(row->event);
		db_free(row->culprit);
		db_free(row->culprit_subject);
		db_free(row->patch_id);
	}
	free(f->row);
	*f = (struct store_findings){};
}
