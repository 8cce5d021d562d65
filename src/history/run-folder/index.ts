export { listArtifacts, readArtifact } from './artifacts.ts'
export { finishRunFolder } from './finish-run-folder.ts'
export { followRun } from './follow-run.ts'
export {
  type Artifact,
  type ArtifactFile,
  type ArtifactKind,
  type RunFolderFollower,
  type RunFolderOptions,
  type WrittenFolder,
} from './options.ts'
export { writeRunFolder } from './write-run-folder.ts'
