/** Answers a question: by kind (accept, edit, respond, reject), by one of its options, or with text. */

import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import type { InboxQuestion } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Command } from '../../parts/command.tsx'
import { Problem } from '../../parts/problem.tsx'
import { AnswerButtons } from './answer-buttons.tsx'
import { type GivenAnswer, TextAnswer } from './text-answer.tsx'

export function AnswerForm({ asked }: { readonly asked: InboxQuestion }): ReactElement {
  const { client, canDecide, session } = useConnection()
  const queries = useQueryClient()
  const [writing, setWriting] = useState<'edit' | 'respond' | 'text' | undefined>()
  const [code, setCode] = useState('')
  const [isSending, setIsSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const { question, run } = asked
  const { kinds = {}, options, confirm } = question
  const send = async (given: GivenAnswer): Promise<void> => {
    if (isSending) return
    setIsSending(true)
    setError(undefined)
    try {
      const withCode = code.trim() === '' ? given : { ...given, code: code.trim() }
      await client.answer(run.id, asked.id, withCode, session.name ?? 'dashboard')
      await queries.invalidateQueries({ queryKey: ['questions'] })
    } catch (failure) {
      setError(failure)
    } finally {
      setIsSending(false)
    }
  }
  const needsCode =
    confirm !== undefined &&
    (kinds.accept === confirm.option || options?.includes(confirm.option) === true)
  const canAccept = kinds.accept !== undefined && (!needsCode || code.trim() !== '')
  useShortcuts(
    canDecide
      ? {
          ...(canAccept ? { a: () => void send({ kind: 'accept' }) } : {}),
          ...(kinds.reject === undefined ? {} : { x: () => void send({ kind: 'reject' }) }),
          ...(kinds.respond === undefined ? {} : { r: () => setWriting('respond') }),
          ...(kinds.edit === undefined ? {} : { e: () => setWriting('edit') }),
        }
      : {},
  )
  if (!canDecide) {
    return (
      <p className="text-muted">
        This tab can only read. To answer: <Command text={`loopctl answer ${run.name}`} />
      </p>
    )
  }
  return (
    <div className="grid gap-3">
      {needsCode ? (
        <label className="grid gap-1 rounded-md bg-warn-soft p-3">
          <span>
            The text above does not show everything. To accept, type the code at the end of the full
            review: <Command text={`loopctl diff --review ${run.name}`} />
          </span>
          <input
            value={code}
            onChange={({ target }) => setCode(target.value)}
            aria-label="Code of the full review"
            className="w-48 rounded border border-line bg-panel px-2 py-1 font-mono"
          />
        </label>
      ) : null}
      <AnswerButtons
        question={question}
        isBusy={isSending}
        canAccept={canAccept}
        onSend={(given) => void send(given)}
        onWrite={setWriting}
      />
      {writing === undefined ? null : (
        <TextAnswer
          kind={writing}
          {...(kinds.edit === undefined ? {} : { proposed: kinds.edit.value })}
          isSending={isSending}
          onSend={(given) => void send(given)}
          onClose={() => setWriting(undefined)}
        />
      )}
      {error === undefined ? null : <Problem error={error} />}
    </div>
  )
}
