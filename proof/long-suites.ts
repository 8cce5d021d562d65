/**
 * Tests that take long: `npm run proof` runs all of them, and so does `LOOPWRIGHT_SUITES=all npm test`.
 * `npm test` runs a share of some (test/share.ts) and leaves the others out, except for one that
 * changes with the commit, so that a suite that is out of date is found within days.
 */

import { longPages } from './long-pages.ts'
import { longRuns } from './long-runs.ts'
import { longStories } from './long-stories.ts'
import { longTuning } from './long-tuning.ts'

export interface LongSuite {
  readonly name: string
  readonly title: string
  readonly file: string
  readonly casesMin: number
  /** `npm test` runs a share of it; the others it leaves out. */
  readonly isShared?: boolean
  /** It takes more than some ten seconds: only the proof runs it. */
  readonly isSlow?: boolean
}

export const longSuites: readonly LongSuite[] = [
  {
    name: 'loops.builds',
    title: 'builds killed at every moment, agents that repeat themselves, a plan of 60 tasks',
    file: 'test/loops/build/build-ends.test.ts',
    casesMin: 10,
    isShared: true,
  },
  {
    name: 'loops.rounds',
    title: 'rounds killed at every moment, around the question and the action',
    file: 'test/loops/round/round-crashes.test.ts',
    casesMin: 7,
    isShared: true,
  },
  {
    name: 'authority.injections',
    title: 'a scripted model that obeys 50 injected texts, by every channel and at every level',
    file: 'test/injection/injection.test.ts',
    casesMin: 48,
    isShared: true,
  },
  {
    name: 'authority.action-races',
    title: 'races and crashes around an action: one is performed, an unknown result asks',
    file: 'test/authority/action-races.test.ts',
    casesMin: 1000,
    isShared: true,
  },
  {
    name: 'authority.kill-stories',
    title: 'a daemon that is killed around an answer and around actions, one story each',
    file: 'test/authority/kills.test.ts',
    casesMin: 2,
    isSlow: true,
  },
  {
    name: 'host.hostile-code-loops',
    title: 'loops in code that spin, flood, lie and crash',
    file: 'test/code-loop-hostile.test.ts',
    casesMin: 25,
    isSlow: true,
  },
  {
    name: 'agents.lying-programs',
    title: 'agent programs that say what is not so',
    file: 'test/agents/lying-programs.test.ts',
    casesMin: 20,
    isSlow: true,
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
    isSlow: true,
  },
  {
    name: 'engine.broken-products',
    title: 'products that were broken on purpose, which the proofs notice',
    file: 'test/proofs-broken.test.ts',
    casesMin: 2,
    isSlow: true,
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
    isSlow: true,
  },
  {
    name: 'sandbox.limits',
    title: 'what a command may use, for root and for an ordinary user',
    file: 'test/sandbox/limits.test.ts',
    casesMin: 16,
  },
  {
    name: 'sandbox.endings',
    title: 'commands and their starters that end at any moment',
    file: 'test/sandbox/endings.test.ts',
    casesMin: 10,
    isSlow: true,
  },
  {
    name: 'engine.answer-races',
    title: 'two people, deadlines, two processes and crashes around an answer, 1,000 times',
    file: 'test/engine/answer-races.test.ts',
    casesMin: 1,
    isShared: true,
  },
  {
    name: 'engine.healthy-runs',
    title: 'no trigger of escalation fires on the journals of 200 healthy runs',
    file: 'test/engine/healthy-runs.test.ts',
    casesMin: 4,
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
  },
  {
    name: 'workspace.snapshot-contract',
    title: 'what a snapshot of every workspace must see',
    file: 'test/workspace/snapshot-contract.test.ts',
    casesMin: 20,
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
  {
    name: 'daemon.fault-stories',
    title: 'kills, a full disk and rival daemons, one story each',
    file: 'test/daemon/faults.test.ts',
    casesMin: 4,
    isSlow: true,
  },
  {
    name: 'daemon.request-stories',
    title: 'random requests, and a server that breaks the document',
    file: 'test/daemon/requests.test.ts',
    casesMin: 3,
    isSlow: true,
  },
  {
    name: 'daemon.reading-stories',
    title: 'dropped streams, a held journal, a clock that is set',
    file: 'test/daemon/reading.test.ts',
    casesMin: 3,
    isSlow: true,
  },
  {
    name: 'host.landing',
    title: 'runs whose work is merged and landed, end to end',
    file: 'test/e2e/landing.test.ts',
    casesMin: 4,
    isShared: true,
  },
  {
    name: 'host.incomplete-machine',
    title: 'missing programs, folders and agents at the wrong moment',
    file: 'test/e2e/incomplete-machine.test.ts',
    casesMin: 4,
  },
  {
    name: 'host.replay-worktrees',
    title: 'replays of runs in worktrees',
    file: 'test/e2e/replay-worktree.test.ts',
    casesMin: 3,
  },
  {
    name: 'host.worktree-records',
    title: 'forks, exports and trees of runs in worktrees',
    file: 'test/host-worktree-records.test.ts',
    casesMin: 7,
  },
  {
    name: 'agents.repair-killed',
    title: 'kills of the repair agent',
    file: 'test/e2e/repair-killed.test.ts',
    casesMin: 2,
  },
  {
    name: 'agents.repair-at-work',
    title: 'the repair agent on public packages',
    file: 'test/agents/repair-at-work.test.ts',
    casesMin: 3,
    isSlow: true,
  },
  {
    name: 'agents.contract',
    title: 'each built-in agent against the agent contract',
    file: 'test/agents/contract.test.ts',
    casesMin: 90,
    isShared: true,
  },
  {
    name: 'gateway.kill-stories',
    title: 'a gateway that is killed under way',
    file: 'test/e2e/gateway-kills.test.ts',
    casesMin: 1,
    isSlow: true,
  },
  {
    name: 'gateway.proof-stories',
    title: 'a small share of the gateway proofs, and that they can fail',
    file: 'test/gateway/proofs.test.ts',
    casesMin: 3,
  },
  {
    name: 'engine.proof-stories',
    title: 'a small share of the proofs, and that they can fail',
    file: 'test/proofs.test.ts',
    casesMin: 6,
    isSlow: true,
  },
  ...longPages,
  ...longRuns,
  ...longStories,
  ...longTuning,
]

/** One of the files that `npm test` leaves out otherwise: the same for one seed. */
export function suitesOfSeed(seed: number): readonly string[] {
  const files = longSuites
    .filter(({ isShared, isSlow }) => isShared !== true && isSlow !== true)
    .map(({ file }) => file)
    .filter((file) => !longSuites.some((one) => one.file === file && one.isShared === true))
  const file = files[seed % files.length]
  return file === undefined ? [] : [file]
}
