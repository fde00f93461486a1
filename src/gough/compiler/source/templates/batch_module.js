{{ beginning }}
{{ comment }}
export async function {{ name }}() {
  const code = Uint8Array.from(atob(CODE), (c) => c.charCodeAt(0));
  return batch(code, signature, mathematics);
}

{{ mathematics }}
{{ runner }}
const CODE = "{{ code }}";
