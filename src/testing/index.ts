/** What `loopwright/testing` exports: what you need to test agents, tools and loops of your own. */

export { type PlantedFault, type PlantOptions, plant, unplant } from '../agents/repair/index.ts'
export type { Clock, Files } from '../engine/index.ts'
export {
  type AgentContextOptions,
  createAgentContext,
  type TestAgentContext,
  type TestTool,
} from './agent-context.ts'
export { agentContract, type ContractCase } from './agent-contract/agent-contract.ts'
export type { AgentContractOptions } from './agent-contract/contract-case.ts'
export { ContractError } from './agent-contract/contract-rules.ts'
export type { ContractAgent, ContractScene } from './agent-contract/open-scene.ts'
export { createFailingFiles, type FailingFiles, type FailingFilesOptions } from './failing-files.ts'
export { createManualClock, type ManualClock } from './manual-clock.ts'
export {
  createMemoryStore,
  createMemoryStores,
  type MemoryStoreOptions,
  type MemoryStores,
} from './memory-store/memory-store.ts'
export {
  type ModelAnswer,
  type ModelBill,
  type ModelRefusal,
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  type ModelTrouble,
  startModelServer,
} from './model-server.ts'
export type { ModelFormat, ModelSpeech, ModelSpeechCall } from './model-wire.ts'
export { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts'
export type { StoreScene } from './store-contract/store-case.ts'
export { type StoreContractOptions, storeContract } from './store-contract/store-contract.ts'
export type { StreamFault } from './stream-fault.ts'
