/** Folders inside the state folder that several parts use. */

import { join } from 'node:path'

/** Tool output that was too long to be returned. */
export const outputFolder = (folder: string): string => join(folder, 'output')

/** The default parent of replay folders. */
export const replaysFolder = (folder: string): string => join(folder, 'replays')
