/** Of an artifact: it is in the progress of the run, which is not for large files. */
export const artifactCharsMax = 200_000
