/** The loop files of each project: what they do, their level, and the button that runs one. */

import { Play, ShieldAlert } from 'lucide-react'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { LevelStanding, LoopEntry, Schedule } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { Command } from '../../parts/command.tsx'
import { Empty } from '../../parts/empty.tsx'
import { shellWord, shortPath } from '../../parts/format.ts'
import { LevelCard } from './level-card.tsx'

export interface ProjectsSectionProps {
  readonly loops: readonly LoopEntry[]
  readonly levels: readonly LevelStanding[]
  readonly schedules: readonly Schedule[]
}

export function ProjectsSection({ loops, levels, schedules }: ProjectsSectionProps): ReactElement {
  const projects = [...new Set(loops.map(({ folder }) => folder))]
  return (
    <section aria-labelledby="loops" className="grid gap-3">
      <h2 id="loops" className="font-semibold">
        Loops
      </h2>
      {projects.length === 0 ? (
        <Empty title="No loop file is known yet." command="loopctl init">
          Loops appear here once a file is trusted, scheduled or run. Write one in a repository:
        </Empty>
      ) : null}
      {projects.map((project) => (
        <div key={project} className="grid gap-2">
          <h3 className="font-mono text-[13px] text-muted" title={project}>
            {shortPath(project)}
          </h3>
          <ul className="grid items-start gap-2 lg:grid-cols-2">
            {loops
              .filter(({ folder }) => folder === project)
              .map((loop) => (
                <LoopCard
                  key={loop.file}
                  loop={loop}
                  levels={levels.filter(
                    (one) =>
                      one.loop === loop.name &&
                      (one.repository === undefined || one.repository === project),
                  )}
                  schedules={schedules.filter(({ file }) => file === loop.file)}
                />
              ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

interface LoopCardProps {
  readonly loop: LoopEntry
  readonly levels: readonly LevelStanding[]
  readonly schedules: readonly Schedule[]
}

function LoopCard({ loop, levels, schedules }: LoopCardProps): ReactElement {
  const { canDecide } = useConnection()
  const { file, folder, name, description, type, trusted, problem } = loop
  const shown = file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file
  return (
    <li className="grid content-start gap-2 rounded-xl border border-line bg-panel p-4">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h4 className="font-semibold">{name}</h4>
          <p className="text-[13px] text-muted">
            {type ?? 'code'} · <code className="font-mono">{shown}</code>
          </p>
        </div>
        {problem === undefined && canDecide ? (
          <Link
            href={`/start?file=${encodeURIComponent(file)}`}
            aria-label={`Start a run of ${name}`}
            className="inline-flex items-center gap-1.5 rounded-md border border-line bg-panel px-2.5 py-1 font-medium whitespace-nowrap hover:bg-sunken"
          >
            <Play size={15} aria-hidden /> Start
          </Link>
        ) : null}
      </div>
      {description === undefined ? null : <p>{description}</p>}
      {problem === undefined ? null : <p className="whitespace-pre-wrap text-bad">{problem}</p>}
      {trusted || problem !== undefined ? null : (
        <p className="flex items-center gap-1.5 text-[13px] text-warn">
          <ShieldAlert size={14} aria-hidden /> Not trusted as it is now: you are asked before it
          runs
        </p>
      )}
      {levels.map((standing) => (
        <LevelCard key={`${standing.kind} ${standing.repository ?? ''}`} standing={standing} />
      ))}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
        <Link
          href={`/runs?loop=${encodeURIComponent(name)}`}
          className="text-accent hover:underline"
        >
          Its runs
        </Link>
        {schedules.length === 0 ? (
          <span className="text-muted">No schedule</span>
        ) : (
          <span className="text-muted">
            Scheduled as {schedules.map((one) => one.name).join(', ')}
          </span>
        )}
      </p>
      {schedules.length === 0 && trusted ? (
        <details className="text-[13px]">
          <summary className="text-accent">Schedule it</summary>
          <div className="mt-1">
            <Command text={`loopctl schedule add ${shellWord(file)} "daily 09:00"`} />
          </div>
        </details>
      ) : null}
    </li>
  )
}
