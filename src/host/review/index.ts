export {
  type Review,
  type ReviewStatus,
  recordReview,
  reviewOf,
  reviewStatuses,
} from '../../history/review.ts'
export {
  type ReviewCommit,
  type ReviewDiff,
  type ReviewFile,
  type ReviewStats,
  reviewDiff,
} from '../../history/review-diff.ts'
export {
  createPullRequest,
  type PullRequest,
  type PullRequestOptions,
} from './create-pull-request.ts'
export { type RemoveWorktreeChoice, removeRunWorktree } from './remove-run-worktree.ts'
export { type ResetOptions, resetRun } from './reset-run.ts'
export { type Discarded, type DiscardOptions, scrapRun } from './scrap-run.ts'
