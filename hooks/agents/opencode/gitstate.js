// gitstate's part in OpenCode: it tells the hook what happens, and hands over what that says.
// Nothing in here may stop OpenCode: whatever fails says nothing.
import { spawn } from "node:child_process"
import { appendFileSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

const PYTHON = "@PYTHON@"
const HOOK = "@HOOK@"
const LIMIT_MS = 20000

function tell(cwd, event, body) {
  return new Promise((resolve) => {
    let out = ""
    let done = false
    const end = (said) => {
      if (!done) {
        done = true
        resolve(said)
      }
    }
    try {
      const child = spawn(PYTHON, ["-I", "-S", HOOK, "opencode", event], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
      })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        end({ failed: true })
      }, LIMIT_MS)
      child.stdout.on("data", (part) => (out += part))
      child.on("error", () => end({ failed: true }))
      child.on("close", (code) => {
        if (code !== 0) end({ failed: true })
        clearTimeout(timer)
        try {
          end(out ? JSON.parse(out) : {})
        } catch {
          end({})
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ ...body, cwd }))
    } catch {
      end({})
    }
  })
}

// what a version of OpenCode tells otherwise than this one does must not stop it either
const quietly = (hooks) =>
  Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [
      name,
      async (...told) => {
        try {
          await hook(...told)
        } catch {}
      },
    ]),
  )

export const gitstate = async ({ directory, worktree }) => {
  const cwd = worktree && worktree !== "/" ? worktree : directory
  const started = new Set()
  const briefings = new Map() // session -> the newest: a system prompt is made anew each time
  const reminders = new Map() // session -> what is said during this turn
  const fresh = new Map() // session -> where it is to be noted that they were handed over
  const put = (session, said) => {
    if (!said.context) return
    const slot = said.context.includes("[gitstate briefing ") ? briefings : reminders
    slot.set(session, said.context)
    if (said.receipts) fresh.set(session, said.receipts)
  }
  const roles = new Map() // message -> who wrote it
  const said = new Map() // session -> what the agent wrote in this turn, by part
  const listen = ({ type, properties: told }) => {
    if (type === "message.updated" && told?.info?.id) roles.set(told.info.id, told.info.role)
    const part = type === "message.part.updated" ? told?.part : undefined
    if (part?.type !== "text" || roles.get(part.messageID) !== "assistant") return
    if (!said.has(part.sessionID)) said.set(part.sessionID, new Map())
    said.get(part.sessionID).set(part.id, part.text)
  }
  const asked = new Map() // session -> what is awaited since its last compaction
  const compacted = (session) => {
    if (!asked.has(session)) {
      const heard = (said) => {
        if (said.failed) asked.delete(session) // whoever tells of it next asks again
        put(session, said)
      }
      asked.set(session, tell(cwd, "compacted", { session }).then(heard))
    }
    return asked.get(session)
  }
  return quietly({
    event: async ({ event }) => {
      listen(event)
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (!session) return
      if (event.type === "session.compacted") await compacted(session)
      if (event.type === "session.idle" && started.has(session)) {
        const texts = [...(said.get(session)?.values() ?? [])]
        said.delete(session)
        put(session, await tell(cwd, "idle", { session, last_assistant_message: texts.join("\n") }))
      }
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (!started.has(session)) {
        started.add(session)
        put(session, await tell(cwd, "start", { session }))
      }
      const prompt = (output.parts ?? []).map((part) => part.text ?? "").join("\n")
      reminders.delete(session)
      put(session, await tell(cwd, "turn", { session, prompt }))
    },
    "tool.execute.after": async (input, output) => {
      const { sessionID: session, tool, args } = input
      const body = { session, tool, args, exit: output?.metadata?.exit }
      put(input.sessionID, await tell(cwd, "tool", body))
    },
    "experimental.session.compacting": async (input, output) => {
      asked.delete(input.sessionID)
      const said = await tell(cwd, "compacting", { session: input.sessionID })
      if (said.instructions) output.context.push(said.instructions)
    },
    // before the event is heard of, and the next request is on its way
    "experimental.compaction.autocontinue": async (input) => {
      await compacted(input.sessionID)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID
      await asked.get(session)
      for (const slot of [briefings, reminders]) {
        if (slot.has(session)) output.system.push(slot.get(session))
      }
      const path = fresh.get(session)
      if (!path) return
      fresh.delete(session)
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        appendFileSync(path, JSON.stringify({ system: output.system.filter((one) => one.includes("[gitstate briefing ")) }) + "\n", { mode: 0o600 })
      } catch {}
    },
  })
}
