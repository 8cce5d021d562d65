/**
 * Copies the skills of one folder to another when a run is created, so that agent programs that read skills themselves find
 * them there. Only regular files, never through links, and within limits. Files that are only in the other folder stay.
 */

import { cpSync, existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { RunSettings } from '../../protocol/api/index.ts'
import { makeFolder, pathInside } from '../../system/index.ts'

const skillsMax = 200
const filesMax = 2000
const bytesMax = 1024 * 1024

/** Undefined: done, or nothing to do. A text: why it was not done; a run works without it. */
export function syncSkills({
  enabled = false,
  syncOnStart = true,
  builtInDir,
  syncDir,
}: NonNullable<RunSettings['skills']> = {}): string | undefined {
  if (!enabled || !syncOnStart || builtInDir === undefined || syncDir === undefined)
    return undefined
  if (!existsSync(builtInDir)) return undefined
  try {
    makeFolder(syncDir)
    const [from, to] = [realpathSync(builtInDir), realpathSync(syncDir)]
    const isNested = pathInside(from, to) !== undefined || pathInside(to, from) !== undefined
    if (isNested) return `skills.syncDir and skills.builtInDir must not contain each other: ${to}`
    let files = 0
    for (const name of readdirSync(from).toSorted().slice(0, skillsMax)) {
      if (!existsSync(join(from, name, 'SKILL.md'))) continue
      cpSync(join(from, name), join(to, name), {
        recursive: true,
        filter(source, target) {
          const found = lstatSync(source)
          const old = lstatSync(target, { throwIfNoEntry: false })
          if (old?.isSymbolicLink() === true) return false
          return (
            found.isDirectory() || (found.isFile() && found.size <= bytesMax && ++files <= filesMax)
          )
        },
      })
    }
    return undefined
  } catch (error) {
    return `cannot copy the skills to ${syncDir}: ${error instanceof Error ? error.message : String(error)}`
  }
}
