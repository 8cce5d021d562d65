/** Stories of commands that take long: `npm test` leaves them out. */

import type { LongSuite } from './long-suites.ts'

export const longStories: readonly LongSuite[] = [
  {
    name: 'agents.command',
    title: 'loopctl agents, with trials of agents',
    file: 'test/e2e/agents-command.test.ts',
    casesMin: 11,
  },
  {
    name: 'gateway.agent-programs',
    title: 'programs as agents that reach their models through the gateway',
    file: 'test/e2e/gateway-agents.test.ts',
    casesMin: 7,
  },
  {
    name: 'evidence.calibrate-command',
    title: 'loopctl calibrate, end to end',
    file: 'test/e2e/calibrate.test.ts',
    casesMin: 3,
  },
  {
    name: 'host.worktree-commands',
    title: 'commands about runs in worktrees',
    file: 'test/e2e/worktree-commands.test.ts',
    casesMin: 7,
  },
  {
    name: 'sandbox.attacked-runs',
    title: 'a hostile process in each place that a run starts one',
    file: 'test/e2e/sandbox-attacks.test.ts',
    casesMin: 3,
  },
  {
    name: 'host.dependency-approvals',
    title: 'dependencies that a person has to approve',
    file: 'test/dependency-approvals.test.ts',
    casesMin: 4,
  },
  {
    name: 'agents.acp-failures',
    title: 'agents that speak ACP, and every way in which one can fail',
    file: 'test/agents/acp-agent.test.ts',
    casesMin: 55,
  },
  {
    name: 'host.show-and-rm',
    title: 'looking into iterations, and removing runs',
    file: 'test/e2e/show-and-rm.test.ts',
    casesMin: 4,
  },
  {
    name: 'host.code-loop-trust',
    title: 'what of a loop in TypeScript is trusted',
    file: 'test/code-loop-trust.test.ts',
    casesMin: 31,
  },
  {
    name: 'sandbox.walled-loops',
    title: 'loops in code, forks and servers inside the sandbox',
    file: 'test/e2e/sandbox-loops.test.ts',
    casesMin: 4,
  },
  {
    name: 'agents.loop-agents',
    title: 'every kind of agent that a loop file can name',
    file: 'test/e2e/loop-agents.test.ts',
    casesMin: 11,
  },
  {
    name: 'host.resume-in-place',
    title: 'runs without a worktree that are resumed',
    file: 'test/e2e/resume-in-place.test.ts',
    casesMin: 2,
  },
  {
    name: 'host.reviews',
    title: 'what people do with the work of runs',
    file: 'test/review.test.ts',
    casesMin: 6,
  },
  {
    name: 'agents.contract',
    title: 'the contract of agents, for each kind',
    file: 'test/agents/contract.test.ts',
    casesMin: 45,
  },
  {
    name: 'host.odd-repositories',
    title: 'runs in unusual repositories',
    file: 'test/host-odd-repositories.test.ts',
    casesMin: 2,
  },
  {
    name: 'host.native-packages',
    title: 'a package of native code, built in the sandbox by its approved install script',
    file: 'test/local-registries/native.test.ts',
    casesMin: 1,
  },
  {
    name: 'cli.hostile-uses',
    title: 'loopctl with hostile files, names and terminals',
    file: 'test/e2e/cli-hostile.test.ts',
    casesMin: 15,
  },
  {
    name: 'host.worktree-recovery',
    title: 'what runs in worktrees say, and how they are resumed',
    file: 'test/e2e/worktree-recovery.test.ts',
    casesMin: 7,
  },
  {
    name: 'cli.guide-commands',
    title: 'the commands of the guide, one after the other',
    file: 'test/guide-commands.test.ts',
    casesMin: 1,
  },
  {
    name: 'cli.start-again',
    title: 'npm start again, and with a demo that is named',
    file: 'test/e2e/start-again.test.ts',
    casesMin: 2,
  },
  {
    name: 'host.preflight',
    title: 'what is tried before a run spends anything',
    file: 'test/e2e/preflight.test.ts',
    casesMin: 14,
    isShared: true,
  },
  {
    name: 'host.examples',
    title: 'every example, with the demo that npm start runs',
    file: 'test/examples.test.ts',
    casesMin: 25,
    isShared: true,
  },
  {
    name: 'evidence.planted-programs',
    title: 'failures planted in programs of every shape, in each way',
    file: 'src/evidence/planting/whole/plant-program.test.ts',
    casesMin: 35,
    isShared: true,
  },
  {
    name: 'agents.program-loops',
    title: 'loop files whose agent is a known program, which lies or hangs',
    file: 'test/e2e/program-loop.test.ts',
    casesMin: 10,
    isShared: true,
  },
]
