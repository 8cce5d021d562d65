/** Where the files of a run are kept. */

/** Where the files of a run are: beside its work, in the state folder, or in both. */
export const artifactModes = ['workspace', 'global', 'mirror'] as const

export type ArtifactMode = (typeof artifactModes)[number]

export const artifactModeDefault: ArtifactMode = 'mirror'
/** From the folder that a person named, which is never the worktree of a run. */
export const logDirDefault = 'logs/loop'
