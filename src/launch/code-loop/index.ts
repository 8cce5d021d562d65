export { type ScannedLoop, scanCodeLoop } from '../../definition/code-loop/scan-code-loop.ts'
export type { CodeParts } from './code-parts.ts'
export {
  closedCodeLoopType,
  createCodeLoop,
  describeCodeLoop,
  loadCodeLoop,
  type OpenCodeLoop,
  openCodeLoop,
} from './load-code-loop.ts'
export { createLoopPrinter } from './loop-prints.ts'
