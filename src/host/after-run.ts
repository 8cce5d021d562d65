/** What is offered around a run besides running it: its name, its files, and what people do with it once it ended. */

export {
  type Postmortem,
  type PostmortemDocument,
  type RootCause,
} from '../history/postmortem/index.ts'
export {
  type Artifact,
  type ArtifactFile,
  type ArtifactKind,
  finishRunFolder,
  followRun,
  listArtifacts,
  type RunFolderFollower,
  type RunFolderOptions,
  readArtifact,
  type WrittenFolder,
  writeRunFolder,
} from '../history/run-folder/index.ts'
export { type NameSource, type NamingOptions, nameRun, type RunName } from '../launch/name-run.ts'
export { type Beginning, recordBeginning } from '../launch/start/record-beginning.ts'
export type { ArtifactMode } from '../runs/artifact-mode.ts'
export { type AnalyzeOptions, analyzeRun, readPostmortem } from './analyze-run.ts'
export {
  createPullRequest,
  type Discarded,
  type DiscardOptions,
  type PullRequest,
  type PullRequestOptions,
  type RemoveWorktreeChoice,
  type ResetOptions,
  type Review,
  type ReviewCommit,
  type ReviewDiff,
  type ReviewFile,
  type ReviewStats,
  type ReviewStatus,
  recordReview,
  removeRunWorktree,
  resetRun,
  reviewDiff,
  reviewOf,
  scrapRun,
} from './review/index.ts'
