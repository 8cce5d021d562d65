/** Drafts of the prompts of the composer and of the reviewer, for workloads that have none: shown, adjusted, confirmed. */

import { type Manifest, parseManifest } from '../../../protocol/index.ts'
import type { CapturedText } from '../captured-text.ts'
import { askText, askWhich } from '../questions.ts'
import type { TuneSession } from '../tune-session.ts'

const excerptChars = 4000
const adjustmentsMax = 5

/** Files to save. None for a prompt file that exists, and none where the search composer turns knobs. */
export async function draftPrompts(
  session: TuneSession,
  manifestText: string,
): Promise<readonly CapturedText[]> {
  const parsed = parseManifest(manifestText)
  if (parsed.type === 'invalid' || Object.keys(parsed.manifest.knobs).length > 0) return []
  const { manifest } = parsed
  const { composer, reviewer } = manifest.agents
  const excerpts = await readExcerpts(session, manifest)
  const wanted = [
    { name: 'composer', path: composer.promptFile, text: composerDraft(manifest, excerpts) },
    ...(reviewer === undefined
      ? []
      : [{ name: 'reviewer', path: reviewer.promptFile, text: reviewerDraft(manifest, excerpts) }]),
  ]
  const drafts: CapturedText[] = []
  for (const { name, path, text } of wanted) {
    if ((await read(session, path)) !== '') continue
    const confirmed = await confirm(session, name, path, text)
    if (confirmed !== undefined) drafts.push({ path, text: confirmed })
  }
  return drafts
}

/** Undefined: it is not wanted. */
async function confirm(
  session: TuneSession,
  name: string,
  path: string,
  first: string,
): Promise<string | undefined> {
  let text = first
  for (let at = 1; at <= adjustmentsMax; at++) {
    const answer = await askWhich(session, `confirm ${name} prompt ${at}`, {
      text: `Draft of ${path}. Is it right?\n\n${text}`,
      options: ['confirm', 'add a rule', 'leave it out'],
      default: 'confirm',
      policy: 'confirm',
      happened: [],
    })
    if (answer === 'confirm') return text
    if (answer === 'leave it out') return undefined
    const rule = await askText(session, `${name} rule ${at}`, {
      text: 'Which rule should it have?',
    })
    if (rule !== undefined) text = `${text.trimEnd()}\n- ${rule}\n`
  }
  return text
}

async function readExcerpts(
  session: TuneSession,
  { artifactPaths, domainDocs }: Manifest,
): Promise<readonly CapturedText[]> {
  const found: CapturedText[] = []
  for (const path of [...artifactPaths, ...domainDocs].slice(0, 10)) {
    const text = await read(session, path)
    if (text !== '') found.push({ path, text: text.slice(0, excerptChars) })
  }
  return found
}

const read = ({ it }: TuneSession, path: string): Promise<string> =>
  it.step(`read ${path}`.slice(0, 200), async () => (await it.workspace?.read(path)) ?? '', {
    readOnly: true,
  })

const headings = (excerpts: readonly CapturedText[]): readonly string[] =>
  excerpts.flatMap(({ path, text }) => {
    const titles = text.split('\n').filter((line) => /^#{1,3} \S/.test(line))
    return titles.slice(0, 5).map((line) => `- ${path}: ${line.replace(/^#+ /, '').slice(0, 100)}`)
  })

function composerDraft(manifest: Manifest, excerpts: readonly CapturedText[]): string {
  const known = headings(excerpts)
  return [
    `# Composer of ${manifest.workloadId}`,
    `You find out why cases of ${manifest.workloadId} fail, and propose changes of ${manifest.artifactPaths.join(', ')}.`,
    ...(known.length === 0 ? [] : [`What these files are about:\n${known.join('\n')}`]),
    'Rules:\n- Find one root cause that explains as many failures as possible.\n- Propose structural changes with a concrete mechanism, never a rewording.\n- Predict which cases each change fixes.\n- Never repeat a change that was tried, unless there is new evidence.\n- Never copy the text of a case into an artifact.',
    '',
  ].join('\n\n')
}

function reviewerDraft(manifest: Manifest, excerpts: readonly CapturedText[]): string {
  const known = headings(excerpts)
  return [
    `# Reviewer of ${manifest.workloadId}`,
    `You judge one output of ${manifest.workloadId} at a time.`,
    ...(known.length === 0 ? [] : [`What the workload is about:\n${known.join('\n')}`]),
    'Rules:\n- Judge only what the case asks for.\n- Name each defect with the place in the output.\n- The same output always gets the same verdict.',
    '',
  ].join('\n\n')
}
