/** How the commands of a run see dependencies that are outside its workspace. */

import type { SandboxSpec } from '../../sandbox/index.ts'

export type RunDependencies = Pick<SandboxSpec, 'readOnly' | 'programs' | 'env'>
