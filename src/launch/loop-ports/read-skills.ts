/**
 * Reads skills from the configured folders. What is in them is not trusted: a repository wrote it.
 *
 * 1. A file counts only if it is inside the folder that was configured, with links resolved, and a folder of the repository
 *    only if it is inside the repository.
 * 2. Sizes and numbers are limited, and only `SKILL.md` and `references/*.md` are read.
 */

import { readdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { withHome } from '../../definition/config/config-entry.ts'
import { readPlainFile } from '../../definition/loop-file/read-loop-file.ts'
import { readSource } from '../../definition/loop-file/source-text.ts'
import { readYaml } from '../../definition/loop-file/yaml-values.ts'
import { LoopError } from '../../loop/index.ts'
import {
  checkSkill,
  type Skill,
  type SkillListing,
  type SkillReader,
} from '../../loops/context/skills.ts'
import { pathInside, sha256 } from '../../system/index.ts'

const foldersMax = 200
const skillsMax = 200
const referencesMax = 20
const referenceCharsMax = 100_000

export interface SkillFolders {
  /** Relative folders are inside it. Undefined: the run has none. */
  readonly workspace: string | undefined
  readonly home: string
}

export const createSkillReader = (folders: SkillFolders): SkillReader => ({
  list: (dirs) => listSkills(folders, dirs),
  load: (skill, references) => loadSkill(folders, skill, references),
})

async function listSkills(folders: SkillFolders, dirs: readonly string[]): Promise<SkillListing> {
  const found = new Map<string, Skill>()
  const problems: string[] = []
  for (const dir of dirs) {
    const root = await findRoot(folders, dir)
    if (root === undefined) continue
    if ('problem' in root) problems.push(root.problem)
    else {
      for (const folder of await subfolders(root.path)) {
        if (found.size >= skillsMax) break
        const skill = await readSkill(root.path, dir, folder)
        if (skill === undefined) continue
        if (typeof skill === 'string') problems.push(`${dir}/${folder}/SKILL.md: ${skill}`)
        // The first folder with a name wins.
        else if (!found.has(skill.name)) found.set(skill.name, skill)
      }
    }
  }
  return { skills: [...found.values()], problems: problems.slice(0, foldersMax) }
}

type Root = { readonly path: string } | { readonly problem: string } | undefined

/** The folder with links resolved; undefined: there is none. */
async function findRoot({ workspace, home }: SkillFolders, dir: string): Promise<Root> {
  const path = withHome(dir, home)
  if (isAbsolute(path)) return asRoot(await realpath(path).catch(() => undefined))
  if (workspace === undefined) return undefined
  const root = await realpath(workspace).catch(() => workspace)
  const real = await realpath(resolve(root, path)).catch(() => undefined)
  if (real === undefined || pathInside(root, real) !== undefined) return asRoot(real)
  return { problem: `${dir}: it leads out of the repository, so it is not read` }
}

const asRoot = (path: string | undefined): Root => (path === undefined ? undefined : { path })

async function subfolders(root: string): Promise<readonly string[]> {
  const entries = await readdir(root).catch(() => [])
  return entries
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .slice(0, foldersMax)
}

/** Undefined: there is no skill in the folder. A text: why it is not used. */
async function readSkill(
  root: string,
  dir: string,
  folder: string,
): Promise<Skill | string | undefined> {
  const file = await readInside(root, join(folder, 'SKILL.md'))
  if (file === undefined) return undefined
  if ('problem' in file) return file.problem
  const [, front = ''] = frontMatter.exec(file.text) ?? []
  if (front === '') return 'it must begin with front matter (---) that has name and description'
  const read = readSource(front)
  if (read.type === 'refused') return read.problem.reason
  const { value, problems } = readYaml(await import('yaml'), read.source)
  const checked = problems[0] === undefined ? checkSkill(value) : problems[0].reason
  return typeof checked === 'string' ? checked : { ...checked, dir, folder, digest: file.digest }
}

const frontMatter = /^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/

type FileInside =
  | { readonly text: string; readonly digest: string }
  | { readonly problem: string }
  | undefined

/** Undefined: it does not exist. */
async function readInside(root: string, name: string): Promise<FileInside> {
  const real = await realpath(join(root, name)).catch(() => undefined)
  if (real === undefined) return undefined
  if (pathInside(root, real) === undefined) return { problem: 'it leads out of its folder' }
  try {
    const bytes = await readPlainFile(real)
    const read = readSource(bytes)
    return read.type === 'refused'
      ? { problem: read.problem.reason }
      : { text: read.source.text, digest: sha256(bytes) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it cannot be read' }
  }
}

async function loadSkill(
  folders: SkillFolders,
  { dir, folder, digest, name }: Skill,
  references: boolean,
): Promise<string> {
  const root = await findRoot(folders, dir)
  const file =
    root !== undefined && 'path' in root
      ? await readInside(root.path, join(folder, 'SKILL.md'))
      : undefined
  if (file === undefined || root === undefined || 'problem' in file || 'problem' in root) {
    throw new LoopError('unknown-file', `The skill ${name} is gone from ${dir}. Restore it.`)
  }
  if (file.digest !== digest) {
    const message = `The skill ${name} in ${dir} changed since the run began, so it is not used. Start a new run to use it.`
    throw new LoopError('not-trusted', message)
  }
  const body = file.text.replace(frontMatter, '')
  return references ? `${body}${await readReferences(root.path, folder)}` : body
}

async function readReferences(root: string, folder: string): Promise<string> {
  const names = (await subfolders(join(root, folder, 'references')))
    .filter((name) => name.endsWith('.md'))
    .slice(0, referencesMax)
  const texts: string[] = []
  for (const name of names) {
    const file = await readInside(root, join(folder, 'references', name))
    if (file !== undefined && 'text' in file)
      texts.push(`\n\n## references/${name}\n\n${file.text}`)
  }
  return texts.join('').slice(0, referenceCharsMax)
}
