/**
 * The copies that commands work in. One copy of the workspace is made for the run and never written to again; each command
 * gets a layer over it, or, where the sandbox has no layers, a copy of the copy.
 *
 *   workspace ─▶ base ─▶ (prepared) ─▶ layer of a command: its files, then what it writes
 */

import { constants } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Blobs } from '../../../engine/index.ts'
import type { Signal } from '../../../loop/index.ts'
import type { CommandFile } from '../../../loop/step/command-task.ts'
import { sha256 } from '../../../system/index.ts'
import { removeTree } from '../../../workspace/index.ts'
import { listContent } from '../../dependencies/list-content.ts'
import type { WorkspaceCopy } from '../../opened-sandbox.ts'
import { copyWorkspace } from './copy-workspace.ts'
import { readPlain, readWritten, requireInner, requirePlain } from './plain-files.ts'

const mode = { recursive: true, mode: 0o755 } as const

export interface CopyOptions {
  /** A private folder, which the caller removes. */
  readonly folder: string
  readonly workspace: string
  readonly blobs: Pick<Blobs, 'get'>
  /** Layers over a folder are supported there. */
  readonly isOverlaid: boolean
  /** Relative to the workspace. */
  isLeftOut(path: string): boolean
}

export interface Base {
  readonly path: string
  /** Of all its files. */
  readonly digest: string
}

export interface CommandCopy extends WorkspaceCopy {
  /** A file that was written in it. Undefined: there is none. */
  read(path: string, bytesMax: number): Promise<Buffer | 'too-large' | undefined>
  remove(): Promise<void>
}

export type CommandFiles = { readonly [path: string]: CommandFile }

export interface Copies {
  base(without: readonly string[], signal: Signal): Promise<Base>
  /** A copy of the base with files, in which `fill` has run. The same for the same key. */
  prepared(
    key: string,
    base: Base,
    files: CommandFiles,
    fill: (copy: WorkspaceCopy) => Promise<void>,
  ): Promise<Base>
  /** `output`: a file that will be written. Its folder exists, and nothing is there yet. */
  open(
    base: Base,
    files: CommandFiles,
    output: string | undefined,
    signal: Signal,
  ): Promise<CommandCopy>
  /** What these files contain. */
  digestOf(files: CommandFiles): Promise<readonly (readonly [string, string])[]>
}

export function openCopies({
  folder,
  workspace,
  blobs,
  isOverlaid,
  isLeftOut,
}: CopyOptions): Copies {
  const sources = { workspace, blobs }
  const bases = new Map<string, Promise<Base>>()
  let count = 0
  const nextFolder = (): string => join(folder, `${++count}`)

  /** One that failed is tried again. */
  function once(key: string, make: () => Promise<Base>): Promise<Base> {
    const known = bases.get(key)
    if (known !== undefined) return known
    const made = make()
    bases.set(key, made)
    made.catch(() => bases.delete(key))
    return made
  }

  return {
    base: (without, signal) =>
      once(`base ${sha256(JSON.stringify(without))}`, async () => {
        const path = nextFolder()
        const names = new Set(without)
        await copyWorkspace(workspace, path, (one) => names.has(one) || isLeftOut(one), { signal })
        const { digest } = await listContent(path, ['.'], 'bytes')
        return { path, digest }
      }),
    prepared: (key, base, files, fill) =>
      once(`prepared ${key}`, async () => {
        const path = nextFolder()
        await copyWorkspace(base.path, path, () => false, { signal: new AbortController().signal })
        try {
          await place(sources, path, files)
          await fill({ path })
        } catch (error) {
          await removeTree(path)
          throw error
        }
        return { path, digest: key }
      }),
    async open(base, files, output, signal) {
      const own = nextFolder()
      const root = join(own, isOverlaid ? 'upper' : 'tree')
      if (isOverlaid) await mkdir(root, mode)
      else await copyWorkspace(base.path, root, () => false, { signal })
      await place(sources, root, files)
      if (output !== undefined) await mkdir(dirname(join(root, requireInner(output))), mode)
      return {
        ...(isOverlaid ? { path: base.path, overlayFolder: own } : { path: root }),
        read: (path, bytesMax) => readWritten(root, requireInner(path), bytesMax),
        remove: () => removeTree(own),
      }
    },
    async digestOf(files) {
      const paths = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1))
      return Promise.all(
        paths.map(async ([path, file]) => [path, sha256(await contentOf(sources, file))] as const),
      )
    },
  }
}

type Sources = Pick<CopyOptions, 'workspace' | 'blobs'>

async function place(sources: Sources, root: string, files: CommandFiles): Promise<void> {
  for (const [path, file] of Object.entries(files)) {
    const target = join(root, requireInner(path))
    await mkdir(dirname(target), mode)
    if ('from' in file) {
      await requirePlain(sources.workspace, file.from)
      await copyFile(join(sources.workspace, file.from), target, constants.COPYFILE_FICLONE)
    } else await writeFile(target, await contentOf(sources, file))
  }
}

function contentOf({ workspace, blobs }: Sources, file: CommandFile): Promise<Buffer> {
  if ('text' in file) return Promise.resolve(Buffer.from(file.text))
  return 'blob' in file ? blobs.get(file.blob) : readPlain(workspace, file.from)
}
