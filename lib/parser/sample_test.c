/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/check.h"
#include "parser/sample.h"

TEST(a_node_is_named_in_several_ways)
{
	static const struct {
		const char *line;
		unsigned int node;
	} rows[] = {
		{ "/sys/devices/system/node/node3/vmstat", 3 }, { "node12", 12 }, { "node0:", 0 },
		{ "Node 7", 7 }, { "Node 7:", 7 },
	};
	unsigned int node;

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(sample_node(rows[i].line, &node));
		assert_int_equal(node, rows[i].node);
	}
	assert_false(sample_node("nodes 3", &node));
	assert_false(sample_node("Node 0 MemFree: 1", &node));
	assert_false(sample_node("node99999999999", &node));
}

TEST(a_pair_is_a_name_and_a_number)
{
	struct span name, value;

	assert_true(sample_pair("nr_free_pages 123", &name, &value));
	assert_true(span_is(name, "nr_free_pages") && span_is(value, "123"));
	assert_true(sample_pair("nr_free_pages\t-1 ", &name, &value));
	assert_true(span_is(value, "-1"));
	assert_false(sample_pair("nr_free_pages: 123", &name, &value));
	assert_false(sample_pair("a b c", &name, &value));
	assert_false(sample_pair("a b", &name, &value));
	assert_false(sample_pair("a", &name, &value));
	assert_false(sample_pair(" a 1", &name, &value));
}
