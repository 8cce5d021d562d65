export type { OverrideFile } from './checkout/checkout-files.ts'
export { hashFile as hashFileSync } from './checkout/hash-file.ts'
export {
  type ManagedPath,
  type OpenCheckoutOptions,
  type OpenedCheckout,
  openCheckout,
  TreeChangedError,
} from './checkout/open-checkout.ts'
export { removeTree } from './checkout/remove-tree.ts'
export { listWritten } from './checkout/upper-listing.ts'
export { compareWithTree, type TreeComparison } from './compare-with-tree.ts'
export { createDirectoryWorkspace } from './directory.ts'
export { type BranchCommit, listBranchCommits } from './git/branch-commits.ts'
export { listUncommitted } from './git/checkout-changes.ts'
export type { FileChange } from './git/compare-trees.ts'
export { createRepository } from './git/create-repository.ts'
export { deleteBranch } from './git/delete-branch.ts'
export { diffFolders } from './git/diff-folders.ts'
export { fetchArchive } from './git/fetch-archive.ts'
export { findBase } from './git/find-base.ts'
export { findGit } from './git/find-git.ts'
export { findNewlyIgnored } from './git/find-newly-ignored.ts'
export { findOnPath } from './git/find-on-path.ts'
export { isGitTree } from './git/git-tree-id.ts'
export { openGitTrees } from './git/git-trees.ts'
export { isBranchName } from './git/names.ts'
export { listPastCommits } from './git/past-commits.ts'
export { splitPatch } from './git/patch/split-patch.ts'
export { findRemote, pushCommit } from './git/push-commit.ts'
export { findRepository, listProjectFolders, type Repository } from './git/repository.ts'
export { type RunGit, runGit } from './git/run-git.ts'
export { runProgram } from './git/run-program.ts'
export {
  type BranchMoves,
  compareHeads,
  type Heads,
  haveAny,
  isRunBranch,
  listWorkPaths,
  readHeads,
} from './history/branch-moves.ts'
export { findUndone } from './history/find-undone.ts'
export { type History, openHistory } from './history/read-history.ts'
export { applyWork, readAppliedState } from './landing/apply-work.ts'
export { commitWork, findCommitByLine } from './landing/commit-work.ts'
export {
  type Landings,
  type MergedWork,
  mergeTargetDefault,
  openLandings,
} from './landing/open-landings.ts'
export {
  makePrivateFolder,
  type PrivateFolder,
  removeAbandonedPrivateFolders,
} from './private-folder.ts'
export { createStatCaches, type StatCaches } from './stat-caches.ts'
export { createTrees } from './trees.ts'
export {
  type CreatedWorktree,
  type CreateWorktreeOptions,
  createWorktree,
} from './worktree/create-worktree.ts'
export { excludePath } from './worktree/exclude-path.ts'
export { explainForeignRecord } from './worktree/finish-removal.ts'
export { type ListedWorktree, listWorktrees } from './worktree/list-worktrees.ts'
export type { KnownWorktree } from './worktree/open-work-tree.ts'
export { recreateWorktree } from './worktree/recreate-worktree.ts'
export { type Removal, releaseSnapshots, removeWorktree } from './worktree/remove-worktree.ts'
export { requireClean } from './worktree/require-clean.ts'
export { type WorktreeFiles, worktreeFiles } from './worktree/worktree-files.ts'
export { findWorktree } from './worktree/worktree-record.ts'
export {
  listWorktreeChanges,
  readBranchState,
  readWorktreeState,
  type WorktreeState,
} from './worktree/worktree-state.ts'
export {
  openWorktree,
  type WorktreeWorkspace,
  type WorktreeWorkspaceOptions,
} from './worktree/worktree-workspace.ts'
export { chooseProvider } from './worktree/worktrunk.ts'
