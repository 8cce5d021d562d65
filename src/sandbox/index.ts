export { innerFolder, innerHome } from './bubblewrap-args.ts'
export { findProgram } from './find-program.ts'
export { type NetworkProxy, openNetworkProxy } from './network-proxy.ts'
export { findOpaqueFolders, watchReads } from './observe/watch-reads.ts'
export { openSandbox, openUnsandboxed, type SandboxOptions } from './open-sandbox.ts'
export { createPlainCommands } from './plain-commands.ts'
export { createMark, killAbandoned, killAll, markVariable } from './process-group.ts'
export { findCommandMounts, findProgramMounts, isExecutableFile } from './program-mounts.ts'
export { type ProtectedPaths, protectedPaths } from './protected-paths.ts'
export { isPublicAddress } from './public-address.ts'
export {
  type ObservationReport,
  type OverlayReport,
  type Relay,
  type Sandbox,
  type SandboxLimits,
  type SandboxReport,
  type SandboxSpec,
  type Tier,
} from './sandbox-type.ts'
export { findUserPrograms } from './user-programs.ts'
