export { isSecretName } from '../../agents/index.ts'
export { createSecrets } from '../../gateway/index.ts'
export { makeOwnFolder, type OwnFolder } from '../../workspace/index.ts'
export { findAgents } from '../agents/find-agents.ts'
export type { Environment } from '../loaded-loop.ts'
export { keysFile, type ModelDoor } from '../model-door.ts'
export { namedVariables, needsVariables, runEnvironment, withNeeded } from '../run-environment.ts'
export { type DaemonLock, lockDaemon } from './lock.ts'
export { packageVersion } from './package-version.ts'
export {
  type DaemonFile,
  type DaemonPlace,
  daemonPlace,
  placeFailure,
  readDaemonFile,
} from './place.ts'
export { systemdUnit, type UnitOptions } from './systemd-unit.ts'
export {
  isToken,
  makeToken,
  readToken,
  rotateToken,
  type TokenKind,
  tokenCharsMin,
  tokenPath,
} from './token-file.ts'
