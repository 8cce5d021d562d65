/** The files of the dashboard as they were built, by their path. Nothing else can be read through them. */

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PageFile {
  readonly content: Buffer
  readonly type: string
}

/** Undefined for a path that is not a file of the dashboard. */
export type PageFiles = (path: string) => PageFile | undefined

/** Where the page is, in requests. */
export const pageRoot = '/ui/'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** `npm run build` writes them there. */
const builtFolder = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url))

/** They are read with the first request: they change only when the package is built. */
export function openPageFiles(folder: string = builtFolder): PageFiles {
  let files: ReadonlyMap<string, PageFile> | undefined
  return (path) => {
    files ??= readFiles(folder)
    return files.get(path)
  }
}

function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>()
  const add = (prefix: string, path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const full = join(path, entry.name)
      if (entry.isDirectory()) add(`${prefix}${entry.name}/`, full)
      const type = types[extname(entry.name)]
      if (!entry.isFile() || type === undefined) continue
      files.set(`${prefix}${entry.name}`, { content: readFileSync(full), type })
    }
  }
  try {
    add(pageRoot, folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return files
}
