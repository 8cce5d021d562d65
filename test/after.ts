/**
 * Cleans up after a test, or after all tests of its file.
 *
 * Files share loaded modules, so a fixture that is loaded once cannot call `afterEach` for files
 * that load it later: test/setup.ts calls it for each file.
 */

type Undo = () => unknown

const afterStories: Undo[] = []
const afterFiles: Undo[] = []

export const afterStory = (undo: Undo): void => void afterStories.push(undo)
/** The `first` ones run before the callbacks registered so far: what depends on something is removed first. */
export const firstAfterStory = (undo: Undo): void => void afterStories.unshift(undo)
export const afterFile = (undo: Undo): void => void afterFiles.push(undo)
export const firstAfterFile = (undo: Undo): void => void afterFiles.unshift(undo)

/** In the order of registration. */
export const undoStory = (): Promise<void> => undoAll(afterStories)
export const undoFile = (): Promise<void> => undoAll(afterFiles)

async function undoAll(undos: Undo[]): Promise<void> {
  for (const undo of undos.splice(0)) await undo()
}
