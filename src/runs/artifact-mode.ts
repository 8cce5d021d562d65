/** Where the files of a run are kept. */

/** `workspace`: beside the work. `global`: in the state folder. `mirror`: in both. */
export const artifactModes = ['workspace', 'global', 'mirror'] as const

export type ArtifactMode = (typeof artifactModes)[number]

export const artifactModeDefault: ArtifactMode = 'mirror'
/** Relative to the folder that the user named, which is never the worktree of a run. */
export const logDirDefault = 'logs/loop'
