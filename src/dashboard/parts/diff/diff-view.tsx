/**
 * A patch as a list of files that can be opened, side by side on wide screens. A comment on a line reaches the agent of
 * the run. Loaded when a diff is shown.
 */

import { MessageSquarePlus } from 'lucide-react'
import { type ReactElement, useMemo, useState } from 'react'
import {
  type ChangeData,
  Diff,
  type FileData,
  getChangeKey,
  Hunk,
  isDelete,
  isInsert,
  parseDiff,
} from 'react-diff-view'
import { plural } from '../format.ts'
import { CommentForm } from './comment-form.tsx'

export interface DiffViewProps {
  readonly patch: string
  /** Absent: comments are not possible. */
  readonly onComment?: (file: string, line: number, text: string) => Promise<void>
}

const openLinesMax = 600

export function DiffView({ patch, onComment }: DiffViewProps): ReactElement {
  const files = useMemo(() => parseDiff(patch, { nearbySequences: 'zip' }), [patch])
  let lines = 0
  return (
    <div className="grid gap-2">
      {files.map((file) => {
        lines += linesOf(file)
        return (
          <FileDiff
            key={`${file.oldPath} ${file.newPath}`}
            file={file}
            isOpen={lines <= openLinesMax}
            {...(onComment === undefined ? {} : { onComment })}
          />
        )
      })}
    </div>
  )
}

const changesOf = ({ hunks }: FileData): readonly ChangeData[] =>
  hunks.flatMap((hunk) => hunk.changes)
const linesOf = (file: FileData): number => changesOf(file).length

/** Of the new file, or of the old one if it was deleted. */
const pathOf = ({ oldPath, newPath, type }: FileData): string =>
  type === 'delete' || newPath === '/dev/null' ? oldPath : newPath

interface FileDiffProps extends Pick<DiffViewProps, 'onComment'> {
  readonly file: FileData
  readonly isOpen: boolean
}

function FileDiff({ file, isOpen, onComment }: FileDiffProps): ReactElement {
  const [isShown, setIsShown] = useState(isOpen)
  const [commented, setCommented] = useState<ChangeData | undefined>()
  const path = pathOf(file)
  const changes = changesOf(file)
  const added = changes.filter(isInsert).length
  const removed = changes.filter(isDelete).length
  const line = commented === undefined ? undefined : lineOf(commented)
  return (
    <details
      open={isShown}
      onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}
      className="overflow-hidden rounded-lg border border-line bg-panel"
    >
      <summary className="flex items-center gap-3 bg-sunken px-3 py-1.5 font-mono text-[13px]">
        <span className="min-w-0 flex-1 truncate">{path}</span>
        <span className="text-good">+{added}</span>
        <span className="text-bad">−{removed}</span>
        <span className="sr-only">{`${plural(added, 'line')} added, ${removed} removed`}</span>
      </summary>
      {isShown ? (
        <div
          className="overflow-x-auto"
          tabIndex={0}
          role="region"
          aria-label={`Changes of ${path}`}
        >
          <Diff
            viewType="unified"
            diffType={file.type}
            hunks={file.hunks}
            {...(onComment === undefined
              ? {}
              : {
                  gutterEvents: {
                    onClick: ({ change }: { readonly change: ChangeData | null }) =>
                      setCommented(change ?? undefined),
                  },
                  renderGutter: ({ renderDefault, side, inHoverState }) => (
                    <span className="flex items-center justify-end gap-1">
                      {side === 'new' && inHoverState ? (
                        <MessageSquarePlus size={12} aria-label="Comment" />
                      ) : null}
                      {renderDefault()}
                    </span>
                  ),
                })}
            widgets={
              commented === undefined || onComment === undefined || line === undefined
                ? {}
                : {
                    [getChangeKey(commented)]: (
                      <CommentForm
                        label={`${path}:${line}`}
                        onSend={(text) => onComment(path, line, text)}
                        onClose={() => setCommented(undefined)}
                      />
                    ),
                  }
            }
          >
            {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
          </Diff>
          {onComment === undefined ? null : (
            <ChooseLine changes={changes} path={path} onChoose={setCommented} />
          )}
          {file.isBinary === true ? <p className="p-3 text-muted">A binary file.</p> : null}
        </div>
      ) : null}
    </details>
  )
}

const lineOf = (change: ChangeData): number =>
  change.type === 'normal' ? change.newLineNumber : change.lineNumber

interface ChooseLineProps {
  readonly changes: readonly ChangeData[]
  readonly path: string
  onChoose(change: ChangeData): void
}

/** The same as a click on a line number, for the keyboard. */
function ChooseLine({ changes, path, onChoose }: ChooseLineProps): ReactElement | null {
  const lines = changes.filter((change) => !isDelete(change))
  const first = lines.find(isInsert) ?? lines[0]
  const [typed, setTyped] = useState('')
  if (first === undefined) return null
  const wanted = typed === '' ? lineOf(first) : Number(typed)
  const chosen = lines.find((change) => lineOf(change) === wanted)
  return (
    <form
      className="flex items-center gap-2 border-t border-line px-3 py-1 font-sans text-xs text-muted"
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen !== undefined) onChoose(chosen)
      }}
    >
      <label className="flex items-center gap-1.5">
        Line
        <input
          type="number"
          min={1}
          value={typed}
          placeholder={String(lineOf(first))}
          aria-label={`Line of ${path}`}
          onChange={({ target }) => setTyped(target.value)}
          className="w-16 rounded border border-line bg-bg px-1.5 py-0.5"
        />
      </label>
      <button
        type="submit"
        disabled={chosen === undefined}
        className="rounded px-1.5 py-0.5 hover:bg-sunken hover:text-text disabled:opacity-50"
      >
        Comment
      </button>
    </form>
  )
}
