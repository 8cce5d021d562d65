export { createDirectoryWorkspace, type DirectoryWorkspaceOptions } from './directory.ts'
export {
  createTrees,
  type DirectoryTrees,
  type TreeDifference,
  type TreeItem,
} from './trees.ts'
