export {
  codeLoopEndings,
  type ScannedLoop,
  type ScannedModule,
  scanCodeLoop,
} from '../../definition/code-loop/scan-code-loop.ts'
export type { CodeParts } from './code-parts.ts'
export {
  type CodeLoop,
  type CodeLoopCheck,
  type CodeLoopCommand,
  type CodeLoopSandbox,
  type CodeLoopSection,
  type Duration,
  defineLoop,
  type Size,
} from './define-loop.ts'
export {
  type LoadCodeLoopOptions,
  loadCodeLoop,
  type OpenCodeLoop,
  openCodeLoop,
} from './load-code-loop.ts'
export type { SessionOptions } from './session.ts'
