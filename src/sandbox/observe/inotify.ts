/**
 * Calls to the kernel that Node does not offer: inotify for reads, and attributes of files. They go through
 * a package with a binary, so this is used only in a separate process: see `read-watcher.ts`.
 */

import { closeSync, readSync } from 'node:fs'

export interface Inotify {
  /** What identifies the folder in events. Throws when there can be no more, or it is not a folder. */
  add(folder: Buffer): number
  /** All that happened so far. */
  drain(onEvent: (event: InotifyEvent) => void): void
  close(): void
}

export interface InotifyEvent {
  readonly folder: number
  readonly mask: number
  /** Of the file in the folder, one byte in each character. */
  readonly name: string
}

export const isFolderEvent = ({ mask }: InotifyEvent): boolean => (mask & 0x4000_0000) !== 0
/** More happened than the kernel keeps. */
export const isOverflow = ({ mask }: InotifyEvent): boolean => (mask & 0x4000) !== 0

/** Without a wait, and not for programs that we start. */
const flags = 0o4000 | 0o2000000
/** A file was opened. The last two: of a folder only, and not through a link. */
const wanted = 0x20 | 0x0100_0000 | 0x0200_0000
const headerBytes = 16
const buffer = Buffer.allocUnsafe(1024 * 1024)

/** glibc, then musl. */
const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

export interface KernelCalls {
  openInotify(): Inotify
  /** The folder of an upper layer hides what is below it. */
  isOpaque(folder: Buffer): boolean
}

const opaqueName = Buffer.from('user.overlay.opaque\0')

/** Rejects where they cannot be made. */
export async function loadKernelCalls(): Promise<KernelCalls> {
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
