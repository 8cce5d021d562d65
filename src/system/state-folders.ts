/** Folders below the state folder that several parts use. */

import { join } from 'node:path'

/** Where output of tools is kept that was too long to be shown. */
export const outputFolder = (folder: string): string => join(folder, 'output')

/** Folders of replays that nobody chose. */
export const replaysFolder = (folder: string): string => join(folder, 'replays')
