/** What `loopwright/rounds` exports: rounds of a chore in code, with agents, tools, gate, executor and memory of your own. */

export {
  renderRoundReport,
  shouldDeliver,
} from '../../protocol/round/render-round-report.ts'
export type {
  RoundAgent,
  RoundBudgetLimit,
  RoundChecker,
  RoundDecision,
  RoundOutcome,
  RoundProposal,
  RoundReceipt,
  RoundReport,
  RoundVerification,
} from '../../protocol/round/round-report.ts'
export type { Gather, GatheredSource } from '../context/gather.ts'
export type {
  LoopMemory,
  NewMemory,
  OpenProposal,
  Proposals,
  RecalledMemories,
  RecalledMemory,
} from '../loop-ports.ts'
export { readRoundReport } from './read-round-report.ts'
export type { MemoryKeys, PermissionKeys, PermissionMode } from './round-keys.ts'
export { type RoundLoop, type RoundProgress, roundLoop } from './round-loop.ts'
export type { RoundInput, RoundPorts, RoundSettings } from './round-settings.ts'
