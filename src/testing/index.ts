export {
  faultsOf,
  findFiles,
  type Operator as FaultOperator,
  operators,
  type PlantedFault,
  type PlantOptions,
  plant,
  plantingOperators,
  type RepairAgentOptions,
  repairAgent,
  unplant,
} from '../agents/repair/index.ts'
export {
  type Blobs,
  type Commands,
  createRun,
  driveRun,
  type Files,
  forkRun,
  type Journal,
  loadRun,
  type NewRun,
  type Ports,
  type Store,
  stateAt,
  systemClock,
  type Unit,
  type Workspace,
} from '../engine/index.ts'
export { issueCertificate, verifyCertificate } from '../evidence/index.ts'
export {
  type Exchange,
  faultOf,
  type Gateway,
  type GatewayLimits,
  type GatewayNote,
  type GatewayOptions,
  openGateway,
  readExchange,
  readKeys,
  type Session,
  type SessionOptions,
  type SessionTotals,
  writeExchange,
} from '../gateway/index.ts'
export { exportCertificate, exportKeys, verifyTarget } from '../history/certificates/index.ts'
export {
  createBlobStore,
  type Database,
  openDatabase,
} from '../journal/index.ts'
export { openCertifyingPlace } from '../launch/certify/open-place.ts'
export { collectLayers } from '../launch/dependencies/collect-layers.ts'
export {
  findLayer,
  keepLayer,
  layersFolder,
  newLayerFolder,
  type StoredLayer,
} from '../launch/dependencies/layer-store.ts'
export { createPrompt, type PromptSection } from '../loops/index.ts'
export { createPlainCommands, killAbandoned, openSandbox, watchReads } from '../sandbox/index.ts'
export { createOwner } from '../system/index.ts'
export {
  createDirectoryWorkspace,
  createWorktree,
  findGit,
  findRepository,
  listWorktrees,
  openWorktree,
  type Repository,
  type RunGit,
  removeWorktree,
  runGit,
  type WorktreeFiles,
} from '../workspace/index.ts'
export { createTreeReader } from '../workspace/tree-reader.ts'
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
export { certificateDraft, certifiedCheck, certifiedOutput } from './certificate-draft.ts'
export { createFailingFiles, type FailingFiles, type FailingFilesOptions } from './failing-files.ts'
export { certificateId, createFakeCertifier, type FakeCertifier } from './fake-certifier.ts'
export { createManualClock, type ManualClock } from './manual-clock.ts'
export { memoryBlobs } from './memory-blobs.ts'
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
export { type CommandObserver, type Observation, observeCommands } from './observe-commands.ts'
export { openLocalStore } from './open-local-store.ts'
export { type SeededRandom, seededRandom } from './seeded-random.ts'
export { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts'
export {
  type SimulateOptions,
  SimulationError,
  type SimulationReport,
  simulate,
} from './simulator/simulate.ts'
export type { StoreScene } from './store-contract/store-case.ts'
export { type StoreContractOptions, storeContract } from './store-contract/store-contract.ts'
export type { StreamFault } from './stream-fault.ts'
export { diskError, type StatementWatch, watchDatabase } from './watched-database.ts'
