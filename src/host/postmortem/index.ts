export {
  type AnalyzeOptions,
  analyzeRun,
  type Postmortem,
  type PostmortemDocument,
  type RootCause,
  readPostmortem,
  rootCauses,
} from './analyze-run.ts'
