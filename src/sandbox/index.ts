export { innerFolder, innerHome } from './bubblewrap-args.ts'
export { findProgram } from './find-program.ts'
export { type NetworkProxy, type NetworkProxyOptions, openNetworkProxy } from './network-proxy.ts'
export { findOpaque, type ReadWatch, watchReads } from './observe/watch-reads.ts'
export { openSandbox, openWithoutWalls, type SandboxOptions } from './open-sandbox.ts'
export { createPlainCommands, type PlainCommandsOptions, type Spawn } from './plain-commands.ts'
export { killAbandoned, killAll, type Mark, markVariable, newMark } from './process-group.ts'
export { commandMounts, isProgram, type ProgramSearch, programMounts } from './program-mounts.ts'
export { type ProtectedPaths, protectedPaths } from './protected-paths.ts'
export { isPublicAddress } from './public-address.ts'
export {
  defaultLimits,
  type LimitKind,
  type Mount,
  type ObservationReport,
  type OverlayReport,
  type ProbeResult,
  type Relay,
  type Sandbox,
  type SandboxedProcess,
  type SandboxLimits,
  type SandboxOverlay,
  type SandboxPlace,
  type SandboxReport,
  type Tier,
  type WorkspaceOverlay,
} from './sandbox-type.ts'
export { findUserPrograms, type UserPrograms } from './user-programs.ts'
