// Questions to the server, which has its address and token in common with this page.

async function answerOf(response) {
  const body = await response.json();
  if (!response.ok) throw new Error(body.error || response.statusText);
  return body;
}

export async function get(path, parameters = {}) {
  return answerOf(await fetch(`api/${path}?${new URLSearchParams(parameters)}`));
}

export async function post(path, body = {}) {
  return answerOf(await fetch(`api/${path}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  }));
}
