export { hashFile as hashFileSync } from './checkout/hash-file.ts'
export {
  type Apart,
  type OpenCheckoutOptions,
  type OpenedCheckout,
  openCheckout,
  TreeChangedError,
} from './checkout/open-checkout.ts'
export { removeTree } from './checkout/remove-tree.ts'
export type { LaidFile } from './checkout/wanted-files.ts'
export { writtenIn } from './checkout/written-in.ts'
export { compareWithTree, type TreeComparison } from './compare-with-tree.ts'
export { createDirectoryWorkspace } from './directory.ts'
export { findBase } from './git/base-branch.ts'
export { type BranchCommit, branchCommits } from './git/branch-commits.ts'
export type { FileChange } from './git/compare-trees.ts'
export {
  type CreatedWorktree,
  type CreateWorktreeOptions,
  createWorktree,
} from './git/create-worktree.ts'
export { diffFolders } from './git/diff-folders.ts'
export { dropBranch } from './git/drop-branch.ts'
export { excludePath } from './git/exclude-path.ts'
export { fetchArchive } from './git/fetch-archive.ts'
export { findGit } from './git/find-git.ts'
export { findOnPath } from './git/find-on-path.ts'
export { whyNotOurs } from './git/finish-removal.ts'
export { isGitTree } from './git/git-tree-id.ts'
export { openGitTrees } from './git/git-trees.ts'
export { leftOut } from './git/left-out.ts'
export { type ListedWorktree, listWorktrees } from './git/list-worktrees.ts'
export { uncommitted } from './git/look-at-checkout.ts'
export { makeRepository } from './git/make-repository.ts'
export {
  type MergeResult,
  type MergeStrategy,
  mergeTargetDefault,
  mergeWork,
} from './git/merge-work.ts'
export { isBranchName } from './git/names.ts'
export type { KnownWorktree } from './git/open-work-tree.ts'
export { pastCommits } from './git/past-commits.ts'
export { findRemote, pushCommit } from './git/push-commit.ts'
export { remakeWorktree } from './git/remake-worktree.ts'
export { forgetSnapshots, type Removal, removeWorktree } from './git/remove-worktree.ts'
export { findRepository, projectFolders, type Repository } from './git/repository.ts'
export { requireClean } from './git/require-clean.ts'
export { type RunGit, runGit } from './git/run-git.ts'
export { GitError, runProgram } from './git/run-program.ts'
export { splitPatch } from './git/split-patch.ts'
export { type WorktreeFiles, worktreeFiles } from './git/worktree-files.ts'
export { findWorktree } from './git/worktree-record.ts'
export { branchState, type WorktreeState, worktreeState } from './git/worktree-state.ts'
export {
  openWorktree,
  type WorktreeWorkspace,
  type WorktreeWorkspaceOptions,
} from './git/worktree-workspace.ts'
export { chooseProvider } from './git/worktrunk.ts'
export { makeOwnFolder, type OwnFolder, removeAbandonedFolders } from './own-folder.ts'
export { createTrees } from './trees.ts'
