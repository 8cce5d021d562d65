/** Long suites of whole runs, agents and servers. */

import type { LongSuite } from './long-suites.ts'

export const longRuns: readonly LongSuite[] = [
  {
    name: 'schedules.chains',
    title: 'schedules of a daemon, with runs that start each other by their ends',
    file: 'test/daemon/schedules.test.ts',
    casesMin: 20,
    isShared: true,
  },
  {
    name: 'rounds.catalog',
    title: 'the seven chores of the catalog, end to end, at every level',
    file: 'test/rounds/catalog-rounds.test.ts',
    casesMin: 28,
    isShared: true,
  },
  {
    name: 'rounds.trust',
    title: 'a chore that loses its level, and a checker that always says yes',
    file: 'test/rounds/trusted-rounds.test.ts',
    casesMin: 2,
    isSlow: true,
  },
  {
    name: 'rounds.hostile-makers',
    title: 'makers that do whatever they can, by every channel',
    file: 'test/rounds/hostile-rounds.test.ts',
    casesMin: 2,
    isShared: true,
  },
  {
    name: 'rounds.hostile-proposals',
    title: 'makers that try to act where, or on what, they may not',
    file: 'test/rounds/hostile-proposals.test.ts',
    casesMin: 18,
    isShared: true,
  },
  {
    name: 'rounds.talk',
    title: 'texts that talk to the checker, and checkers that repeat or obey them',
    file: 'test/rounds/talk-rounds.test.ts',
    casesMin: 49,
    isShared: true,
  },
  {
    name: 'host.code-loop-resume',
    title: 'loops in code that are killed and resumed',
    file: 'test/code-loop-resume.test.ts',
    casesMin: 3,
  },
  {
    name: 'agents.repair-loops',
    title: 'loops with the repair agent, end to end',
    file: 'test/e2e/repair-loop.test.ts',
    casesMin: 3,
  },
  {
    name: 'sandbox.tiers',
    title: 'runs on machines with a weaker sandbox, or none',
    file: 'test/e2e/sandbox-tiers.test.ts',
    casesMin: 11,
    isSlow: true,
  },
  {
    name: 'tools.paused-servers',
    title: 'hung MCP servers',
    file: 'test/mcp/paused.test.ts',
    casesMin: 5,
  },
  {
    name: 'gateway.fault-matrix',
    title: 'everything that providers do wrong, in each format',
    file: 'test/gateway/faults.test.ts',
    casesMin: 120,
  },
  {
    name: 'gateway.hot-loops',
    title: 'thirty agents that ask on and on, whatever they are told',
    file: 'test/gateway/hot-loop.test.ts',
    casesMin: 11,
  },
  {
    name: 'host.replays',
    title: 'replays of runs, end to end',
    file: 'test/e2e/replay.test.ts',
    casesMin: 11,
    isSlow: true,
  },
  {
    name: 'host.forks',
    title: 'forks of runs, end to end',
    file: 'test/e2e/fork.test.ts',
    casesMin: 11,
  },
  {
    name: 'workspace.merges',
    title: 'merges of certified work',
    file: 'test/workspace/landings.test.ts',
    casesMin: 11,
    isSlow: true,
  },
  {
    name: 'host.worktree-bases',
    title: 'runs from every kind of base',
    file: 'test/e2e/worktree-base.test.ts',
    casesMin: 7,
  },
  {
    name: 'workspace.gone-worktrees',
    title: 'worktrees that are gone, half made or locked',
    file: 'test/workspace/gone-worktrees.test.ts',
    casesMin: 20,
  },
]
