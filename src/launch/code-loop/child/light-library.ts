/** The part of the library that most loop files need. It loads five times faster than the whole. */

export {
  captureProgress,
  defaultLimits,
  describeEvent,
  describeOutcome,
  FaultError,
  isEnd,
  isLoopError,
  keepEnd,
  LoopError,
  rateLimited,
  renderProgress,
} from '../../../loop/index.ts'
export { defineLoop } from '../define-loop.ts'
