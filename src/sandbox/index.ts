export { innerFolder, innerHome } from './bubblewrap-args.ts'
export { findProgram } from './find-program.ts'
export { type NetworkProxy, openNetworkProxy } from './network-proxy.ts'
export { findOpaque, watchReads } from './observe/watch-reads.ts'
export { openSandbox, openWithoutWalls, type SandboxOptions } from './open-sandbox.ts'
export { createPlainCommands } from './plain-commands.ts'
export { killAbandoned, killAll, markVariable, newMark } from './process-group.ts'
export { commandMounts, isProgram, programMounts } from './program-mounts.ts'
export { type ProtectedPaths, protectedPaths } from './protected-paths.ts'
export { isPublicAddress } from './public-address.ts'
export {
  type ObservationReport,
  type OverlayReport,
  type Relay,
  type Sandbox,
  type SandboxLimits,
  type SandboxPlace,
  type SandboxReport,
  type Tier,
} from './sandbox-type.ts'
export { findUserPrograms } from './user-programs.ts'
