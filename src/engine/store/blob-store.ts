/** Content by its hash. */

import type { ArtifactContent, BlobId } from '../../loop/index.ts'

/** What the engine and its parts need: storing and reading content. */
export interface Blobs {
  /** Resolves when the content is on disk. */
  put(content: ArtifactContent): Promise<{ readonly blob: BlobId; readonly bytes: number }>
  /** Rejects with `unknown-artifact`. */
  get(blob: BlobId): Promise<Buffer>
  stream(blob: BlobId): AsyncIterable<Uint8Array>
}

/** Adds what the owner needs: where content is, and removing unreferenced content. */
export interface BlobStore extends Blobs {
  /** The file that holds this content, or would hold it. */
  path(blob: BlobId): string
  /** Removes content that `keep` does not name and that is older than the grace time. */
  sweep(keep: Keep, options: SweepOptions): Promise<Swept>
}

export type Keep = ReadonlySet<BlobId> | ((blob: BlobId) => boolean)

export interface SweepOptions {
  /**
   * The grace time: younger content is kept even if `keep` does not name it. It must be longer than the time
   * between a put and the row that names it; one hour is plenty.
   */
  readonly olderThanMs: number
  readonly now: number
}

export interface Swept {
  readonly removed: number
  readonly bytes: number
}
