/**
 * Sweeps that take long and seldom find something new: `npm run proof` tells all of them, and so does
 * `LOOPWRIGHT_SUITES=all npm test`. Of some the tests tell a share (test/share.ts); what the others sweep
 * has stories of its own elsewhere.
 */

export interface LongSuite {
  readonly name: string
  readonly title: string
  readonly file: string
  readonly casesMin: number
  /** `npm test` tells a share of it; the others it leaves out. */
  readonly isShared?: boolean
}

export const longSuites: readonly LongSuite[] = [
  {
    name: 'host.hostile-code-loops',
    title: 'loops in code that spin, flood, lie and crash',
    file: 'test/code-loop-hostile.test.ts',
    casesMin: 25,
  },
  {
    name: 'agents.lying-programs',
    title: 'agent programs that say what is not so',
    file: 'test/agents/lying-programs.test.ts',
    casesMin: 20,
  },
  {
    name: 'agents.broken-contracts',
    title: 'agents that break the contract, each in one way',
    file: 'test/agents/contract-broken.test.ts',
    casesMin: 80,
  },
  {
    name: 'host.replay-ends',
    title: 'replays of runs that ended in every way',
    file: 'test/e2e/replay-ends.test.ts',
    casesMin: 5,
  },
  {
    name: 'tools.misbehaving-servers',
    title: 'an MCP server that misbehaves',
    file: 'test/mcp/misbehaving.test.ts',
    casesMin: 40,
  },
  {
    name: 'workspace.hostile-git',
    title: 'repositories that try to run something',
    file: 'test/workspace/hostile-git.test.ts',
    casesMin: 10,
  },
  {
    name: 'host.worktree-kills',
    title: 'a run in a worktree that is killed again and again',
    file: 'test/e2e/worktree-kills.test.ts',
    casesMin: 1,
  },
  {
    name: 'engine.broken-products',
    title: 'products that were broken on purpose, which the proofs notice',
    file: 'test/proofs-broken.test.ts',
    casesMin: 2,
  },
  {
    name: 'workspace.chosen-kills',
    title: 'kill -9 in the middle of a git that makes, fills and removes a worktree',
    file: 'test/workspace/kills.test.ts',
    casesMin: 5,
    isShared: true,
  },
  {
    name: 'host.canary-search',
    title: 'the search for keys finds one that is there',
    file: 'test/e2e/gateway-canary.test.ts',
    casesMin: 2,
  },
  {
    name: 'sandbox.limits',
    title: 'what a command may use, for root and for an ordinary user',
    file: 'test/sandbox/limits.test.ts',
    casesMin: 16,
    isShared: true,
  },
  {
    name: 'sandbox.endings',
    title: 'commands and their starters that end at any moment',
    file: 'test/sandbox/endings.test.ts',
    casesMin: 10,
    isShared: true,
  },
  {
    name: 'workspace.restores',
    title: 'restores of any folder from any other',
    file: 'src/workspace/restore.property.test.ts',
    casesMin: 1,
    isShared: true,
  },
  {
    name: 'workspace.restore-contract',
    title: 'what a restore of every workspace must do',
    file: 'test/workspace/restore-contract.test.ts',
    casesMin: 18,
    isShared: true,
  },
  {
    name: 'workspace.snapshot-contract',
    title: 'what a snapshot of every workspace must see',
    file: 'test/workspace/snapshot-contract.test.ts',
    casesMin: 20,
    isShared: true,
  },
  {
    name: 'workspace.many-worktrees',
    title: 'twenty worktrees of one name at once',
    file: 'test/workspace/worktrees.test.ts',
    casesMin: 13,
    isShared: true,
  },
  {
    name: 'host.many-worktrees',
    title: 'twenty runs at once in one repository',
    file: 'test/host-worktrees.test.ts',
    casesMin: 18,
    isShared: true,
  },
  {
    name: 'gateway.random-schedules',
    title: 'a thousand schedules of children that die, under one cap',
    file: 'test/gateway/schedules.test.ts',
    casesMin: 2,
    isShared: true,
  },
]
