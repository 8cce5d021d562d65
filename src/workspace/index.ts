export {
  branchPrefixDefault,
  type CarryRule,
  carryRulesDefault,
} from '../system/worktree-defaults.ts'
export { createBlobSource } from './checkout/blob-source.ts'
export type { FileOverrides, OverrideFile } from './checkout/checkout-files.ts'
export type { CheckoutGit } from './checkout/checkout-git.ts'
export { createGitSource } from './checkout/git-source.ts'
export { hashFile as hashFileSync } from './checkout/hash-file.ts'
export {
  type Apart,
  type OpenCheckoutOptions,
  type OpenedCheckout,
  openCheckout,
  TreeChangedError,
} from './checkout/open-checkout.ts'
export { createReadTrees, type ReadTrees } from './checkout/read-trees.ts'
export { removeTree } from './checkout/remove-tree.ts'
export { listWritten } from './checkout/upper-listing.ts'
export {
  type CompareRequest,
  compareWithTree,
  type TreeComparison,
} from './compare-with-tree.ts'
export { createDirectoryWorkspace, type DirectoryWorkspaceOptions } from './directory.ts'
export { type BranchCommit, branchCommits } from './git/branch-commits.ts'
export { uncommitted } from './git/checkout-changes.ts'
export type { Commit, CommitRequest } from './git/commit-tree.ts'
export type { FileChange } from './git/compare-trees.ts'
export { makeRepository } from './git/create-repository.ts'
export { dropBranch } from './git/delete-branch.ts'
export { diffFolders } from './git/diff-folders.ts'
export { type ArchiveRequest, fetchArchive } from './git/fetch-archive.ts'
export { type Base, findBase } from './git/find-base.ts'
export { findGit } from './git/find-git.ts'
export { leftOut } from './git/find-newly-ignored.ts'
export { findOnPath } from './git/find-on-path.ts'
export { isGitTree } from './git/git-tree-id.ts'
export { type GitTrees, openGitTrees } from './git/git-trees.ts'
export {
  type MergeResult,
  type MergeStrategy,
  type MergeWorkOptions,
  mergeStrategyDefault,
  mergeTargetDefault,
  mergeWork,
} from './git/merge-work.ts'
export { isBranchName, toSlug } from './git/names.ts'
export { type PastCommit, pastCommits } from './git/past-commits.ts'
export { findRemote, pushCommit, type Remote } from './git/push-commit.ts'
export { findRepository, projectFolders, type Repository } from './git/repository.ts'
export { type GitCall, type GitLocation, type RunGit, runGit } from './git/run-git.ts'
export { GitError, runProgram } from './git/run-program.ts'
export { type FilePatch, splitPatch } from './git/split-patch.ts'
export { makeOwnFolder, type OwnFolder, removeAbandonedFolders } from './private-folder.ts'
export {
  createTrees,
  type DirectoryTrees,
  type TreeDifference,
  type TreeItem,
} from './trees.ts'
export { type Carried, type CarryLimits, carryLimitsDefault } from './worktree/carry-over.ts'
export type { WorktreeStatus } from './worktree/check-worktree.ts'
export {
  type CreatedWorktree,
  type CreateWorktreeOptions,
  createWorktree,
} from './worktree/create-worktree.ts'
export { excludePath } from './worktree/exclude-path.ts'
export { whyNotOurs } from './worktree/finish-removal.ts'
export { type FolderSize, type ListedWorktree, listWorktrees } from './worktree/list-worktrees.ts'
export type { KnownWorktree } from './worktree/open-work-tree.ts'
export { gitProvider, type WorktreeProvider } from './worktree/provider.ts'
export { type RecreateWorktreeOptions, remakeWorktree } from './worktree/recreate-worktree.ts'
export {
  forgetSnapshots,
  type Removal,
  type RemoveWorktreeOptions,
  removeWorktree,
} from './worktree/remove-worktree.ts'
export { requireClean } from './worktree/require-clean.ts'
export { type WorktreeFiles, worktreeFiles } from './worktree/worktree-files.ts'
export { pathTemplateDefault, worktreePath } from './worktree/worktree-path.ts'
export { findWorktree } from './worktree/worktree-record.ts'
export {
  type BranchState,
  branchState,
  type WorktreeState,
  worktreeState,
} from './worktree/worktree-state.ts'
export {
  openWorktree,
  type WorktreeWorkspace,
  type WorktreeWorkspaceOptions,
} from './worktree/worktree-workspace.ts'
export { chooseProvider, type ProviderChoice, type WorktrunkOptions } from './worktree/worktrunk.ts'
