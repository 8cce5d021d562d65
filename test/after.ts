/**
 * What stories leave behind is taken away after the story, or after all of its file.
 *
 * Files share what they load, so a fixture that is loaded once cannot say `afterEach` for those who load
 * it later: test/setup.ts says it for each file.
 */

type Undo = () => unknown

const afterStories: Undo[] = []
const afterFiles: Undo[] = []

export const afterStory = (undo: Undo): void => void afterStories.push(undo)
/** Before what was asked for so far: what stands on something else goes first. */
export const firstAfterStory = (undo: Undo): void => void afterStories.unshift(undo)
export const afterFile = (undo: Undo): void => void afterFiles.push(undo)

/** In the order in which they were asked for. */
export const undoStory = (): Promise<void> => undoAll(afterStories)
export const undoFile = (): Promise<void> => undoAll(afterFiles)

async function undoAll(undos: Undo[]): Promise<void> {
  for (const undo of undos.splice(0)) await undo()
}
