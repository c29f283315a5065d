/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "workload/topology.h"

static char set[16];
static struct topology t;

static bool list(const char *s)
{
	memset(set, 0, sizeof(set));
	return topology_list(s, set, sizeof(set));
}

TEST(a_list_is_numbers_and_ranges)
{
	assert_true(list("0-2,5,7-7\n"));
	assert_memory_equal(set, "\1\1\1\0\0\1\0\1\0\0\0\0\0\0\0\0", 16);
	assert_true(list("15"));
	assert_int_equal(set[15], 1);
	assert_true(list("") && list("\n"));
}

TEST(what_is_no_list_is_refused)
{
	static const char *const bad[] = { "x", "-1", "1-", "3-1", "1;2", "1-2-3", "16", "0-99999",
					   ",1", "1,,2", "1 2", "+1", " 1", "99999999999999999999" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (list(bad[i]))
			fail_msg("'%s' was taken", bad[i]);
}

static char root[64];

static void put(const char *path, const char *text)
{
	char full[256];
	int fd;

	snprintf(full, sizeof(full), "%s/sys/devices/system/%s", root, path);
	for (char *s = full + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		mkdir(full, 0700);
	}
	fd = open(full, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void tree_make(void)
{
	snprintf(root, sizeof(root), "/tmp/topology_test.XXXXXX");
	assert_non_null(mkdtemp(root));
}

static void tree_remove(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	assert_int_equal(system(cmd), 0);
}

static void siblings(unsigned int cpu, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "cpu/cpu%u/topology/thread_siblings_list", cpu);
	put(path, text);
}

static void read_all(unsigned int cpus)
{
	static char wanted[TOPOLOGY_CPUS];

	memset(wanted, 0, sizeof(wanted));
	memset(wanted, 1, cpus);
	topology_read(&t, root, wanted);
}

static void order_is(const unsigned int *want, unsigned int n)
{
	assert_int_equal(t.n, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(t.cpu[i].id, want[i]);
}

/* Two sockets of two cores with two threads each: 0-3 are first threads, 4-7 second. */
static void two_nodes(void)
{
	tree_make();
	put("node/online", "0-1\n");
	put("node/has_memory", "0-1\n");
	put("node/node0/cpulist", "0-1,4-5\n");
	put("node/node1/cpulist", "2-3,6-7\n");
	put("node/node0/distance", "10 21\n");
	put("node/node1/distance", "21 10\n");
	for (unsigned int i = 0; i < 8; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%u,%u\n", i % 4, i % 4 + 4);
		siblings(i, text);
	}
	read_all(8);
}

TEST(compact_fills_a_node_cores_first)
{
	two_nodes();
	topology_compact(&t);
	order_is((unsigned int[]){ 0, 1, 4, 5, 2, 3, 6, 7 }, 8);
	tree_remove();
}

TEST(spread_takes_nodes_in_turn)
{
	two_nodes();
	topology_compact(&t);
	topology_spread(&t);
	order_is((unsigned int[]){ 0, 2, 1, 3, 4, 6, 5, 7 }, 8);
	tree_remove();
}

TEST(keep_leaves_the_first_nodes)
{
	two_nodes();
	topology_keep(&t, 1);
	topology_compact(&t);
	order_is((unsigned int[]){ 0, 1, 4, 5 }, 4);
	assert_int_equal(t.used.n, 1);
	tree_remove();
}

/* Nodes 1, 3 and 4; 3 has memory only, 4 has none; no node claims CPU 2. */
static void holes(void)
{
	tree_make();
	put("node/online", "1,3-4\n");
	put("node/has_memory", "1,3\n");
	put("node/node1/cpulist", "0-1\n");
	put("node/node3/cpulist", "\n");
	put("node/node4/cpulist", "3\n");
	put("node/node1/distance", "10 17 40\n");
	put("node/node3/distance", "17 10 28\n");
	put("node/node4/distance", "40 28 10\n");
	read_all(4);
}

TEST(numbers_with_holes_keep_their_names)
{
	holes();
	assert_int_equal(t.used.n, 2);
	assert_int_equal(t.used.id[0], 1);
	assert_int_equal(t.used.id[1], 4);
	assert_int_equal(t.memory.n, 2);
	assert_int_equal(t.memory.id[1], 3);
	assert_int_equal(t.cpu[2].node, 1);
	assert_int_equal(t.cpu[3].node, 4);
	tree_remove();
}

TEST(the_farthest_node_has_memory_and_its_own_column)
{
	holes();
	assert_int_equal(topology_farthest(&t, root, 1), 3);	/* 4 is farther, and has none */
	assert_int_equal(topology_farthest(&t, root, 4), 1);
	assert_int_equal(topology_farthest(&t, root, 3), 1);
	tree_remove();
}

TEST(without_sysfs_all_is_one_node)
{
	tree_make();
	read_all(3);
	topology_compact(&t);
	topology_spread(&t);
	order_is((unsigned int[]){ 0, 1, 2 }, 3);
	assert_int_equal(t.used.n, 1);
	assert_int_equal(t.memory.n, 1);
	assert_int_equal(topology_farthest(&t, root, 0), 0);
	tree_remove();
}

TEST(a_broken_tree_is_one_node)
{
	tree_make();
	put("node/online", "0-x\n");
	put("node/node0/cpulist", "99999999\n");
	siblings(1, "garbage");
	read_all(2);
	assert_int_equal(t.used.n, 1);
	assert_int_equal(t.cpu[1].smt, 0);
	tree_remove();
}
