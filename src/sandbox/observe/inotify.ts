/**
 * System calls that Node does not offer: inotify for reads, and extended attributes of files. They go through
 * a package with a native binary, so this runs only in a separate process: see `read-watcher.ts`.
 */

import { closeSync, readSync } from 'node:fs'

export interface Inotify {
  /** Returns the id of the folder in events. Throws at the limit on watches, or if it is not a folder. */
  add(folder: Buffer): number
  /** Passes on all events so far. */
  drain(onEvent: (event: InotifyEvent) => void): void
  close(): void
}

export interface InotifyEvent {
  readonly folder: number
  readonly mask: number
  /** The name of the file in the folder, one byte per character. */
  readonly name: string
}

export const isFolderEvent = ({ mask }: InotifyEvent): boolean => (mask & 0x4000_0000) !== 0
/** The kernel's queue overflowed and events were lost. */
export const isOverflow = ({ mask }: InotifyEvent): boolean => (mask & 0x4000) !== 0

/** Non-blocking, and closed in child processes. */
const flags = 0o4000 | 0o2000000
/** Reports that a file was opened. The last two: watch folders only, and do not follow symlinks. */
const wanted = 0x20 | 0x0100_0000 | 0x0200_0000
const headerBytes = 16
const buffer = Buffer.allocUnsafe(1024 * 1024)

/** glibc, then musl. */
const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

export interface SystemCalls {
  openInotify(): Inotify
  /** A folder of an upper layer that hides the folder below it. */
  isOpaque(folder: Buffer): boolean
}

const opaqueName = Buffer.from('user.overlay.opaque\0')

/** Rejects if the native package cannot be loaded. */
export async function loadSystemCalls(): Promise<SystemCalls> {
  const { open, load, DataType } = await import('ffi-rs')
  const library = 'c'
  const failures: unknown[] = []
  for (const path of libraries) {
    try {
      open({ library, path })
      break
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === libraries.length) throw failures[0]
  const { I32, I64, U32, U8Array } = DataType
  const openInotify = (): Inotify => {
    const fd = load({
      library,
      funcName: 'inotify_init1',
      retType: I32,
      paramsType: [I32],
      paramsValue: [flags],
    })
    if (fd < 0) throw new Error('inotify_init1 failed')
    return {
      add(folder) {
        const id = load({
          library,
          funcName: 'inotify_add_watch',
          retType: I32,
          paramsType: [I32, U8Array, U32],
          paramsValue: [fd, terminated(folder), wanted],
        })
        if (id < 0) throw new Error(`inotify_add_watch failed for ${folder.toString()}`)
        return id
      },
      drain: (onEvent) => drain(fd, onEvent),
      close: () => closeSync(fd),
    }
  }
  const isOpaque = (folder: Buffer): boolean =>
    load({
      library,
      funcName: 'lgetxattr',
      retType: I64,
      paramsType: [U8Array, U8Array, U8Array, I64],
      paramsValue: [terminated(folder), opaqueName, Buffer.alloc(8), 8],
    }) > 0
  return { openInotify, isOpaque }
}

const terminated = (path: Buffer): Buffer => Buffer.concat([path, Buffer.of(0)])

function drain(fd: number, onEvent: (event: InotifyEvent) => void): void {
  for (;;) {
    const bytes = readAvailable(fd)
    if (bytes === 0) return
    for (let at = 0; at + headerBytes <= bytes; ) {
      const length = buffer.readUInt32LE(at + 12)
      const name = buffer.toString('latin1', at + headerBytes, at + headerBytes + length)
      const end = name.indexOf('\0')
      onEvent({
        folder: buffer.readInt32LE(at),
        mask: buffer.readUInt32LE(at + 4),
        name: end === -1 ? name : name.slice(0, end),
      })
      at += headerBytes + length
    }
  }
}

function readAvailable(fd: number): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, null)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
    throw error
  }
}
