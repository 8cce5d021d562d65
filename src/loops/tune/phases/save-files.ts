/** Saves what the interrogation made: the manifest, beside the code of its workload, and the prompts of its agents. */

import type { CapturedText } from '../captured-text.ts'
import { moveManifest } from '../interrogation/draft-manifest.ts'
import { askText, askWhich } from '../questions.ts'
import type { TuneSession } from '../tune-session.ts'
import type { SetUp } from '../tune-state.ts'
import { folderOf, inFolder } from '../workload/workload.ts'
import { openSetUp, withPlan } from './open-setup.ts'

const attemptsMax = 5

/** What changed by it. A text: why nothing could be saved. */
export async function saveFiles(
  session: TuneSession,
  state: SetUp,
): Promise<SetUp | string | undefined> {
  const { workload, unsaved } = state
  const manifest = unsaved.find(({ path }) => path === workload.manifestPath)
  if (manifest === undefined) return undefined
  const moved = await askWhere(session, manifest)
  if (typeof moved === 'string') return moved
  const folder = folderOf(moved.path)
  const files = [
    moved,
    ...unsaved
      .filter((one) => one !== manifest)
      .map(({ path, text }) => ({ path: inFolder(folder, path), text })),
  ]
  await write(session, files)
  const { topics, passes, documents, plan, manifestDigest } = state
  const opened = await openSetUp(session, moved, { topics, unsaved: [] })
  // The pipeline that passed is the same; only the paths are written from another folder.
  const known = { ...opened, documents, passes: [...passes, manifestDigest, opened.manifestDigest] }
  return plan === undefined ? known : withPlan(known, plan)
}

async function askWhere(
  session: TuneSession,
  { path, text }: CapturedText,
): Promise<CapturedText | string> {
  let problem = ''
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const where = await askText(session, `save manifest ${attempt}`, {
      text: `${problem}Calibration passed. Where should the manifest be saved? A path beside the code of the workload.`,
      default: path,
    })
    const to = (where ?? path).replace(/^\.\//, '')
    const wrong = await findProblem(session, to)
    const moved = wrong ?? moveManifest(text, folderOf(path), folderOf(to))
    if (typeof moved !== 'string') return { path: to, text: moved.text }
    problem = `It cannot be saved as ${to}: ${moved}. `
  }
  return `the manifest could not be saved. ${problem.trim()}`
}

async function findProblem(session: TuneSession, path: string): Promise<string | undefined> {
  if (!/^[^/~\0][^\0]{0,500}$/.test(path) || path.split('/').includes('..')) {
    return 'it is not a path inside the workspace'
  }
  const { it } = session
  const there = await it.step(
    'look for the manifest',
    async () => it.workspace?.read(path) ?? null,
    {
      readOnly: true,
    },
  )
  if (there === null || there === undefined) return undefined
  const answer = await askWhich(session, `replace ${path}`, {
    text: `${path} exists. Replace it?`,
    options: ['keep it', 'replace it'],
    default: 'keep it',
    policy: 'keep it',
    happened: [],
  })
  return answer === 'replace it' ? undefined : 'there is a file already'
}

const write = ({ it }: TuneSession, files: readonly CapturedText[]): Promise<unknown> =>
  it.step('save files', async () => {
    for (const { path, text } of files) await it.workspace?.write(path, text)
    return files.map(({ path }) => path)
  })
