/**
 * Sweeps that take long and seldom find something new: `npm run proof` tells all of them, and so does
 * `LOOPWRIGHT_SUITES=all npm test`. What they sweep has stories of its own in the others.
 */

export interface LongSuite {
  readonly name: string
  readonly title: string
  readonly file: string
  readonly casesMin: number
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
]
